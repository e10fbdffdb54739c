-- title: our estimates that imply more than 5e13 training tokens at the size that is known
-- remedy: enter what would narrow it with traincompute curate add-fact, or acknowledge the size
SELECT model_id, 'flop_50' AS field, flop_50 AS stated, 6 * size * 5e13 AS expected,
'the median ' || say(flop_50) || ' FLOP is that of ' || say(flop_50 / (6 * size)) || ' tokens at ' || say(size)
    || ' parameters' AS evidence,
(SELECT list(claim_id) FROM selected WHERE selected.model_id = models.model_id
    AND selected.field IN ('parameters', 'parameters_active')) AS claim_ids
FROM models JOIN predictions USING (model_id), (SELECT coalesce(parameters_active, parameters) AS size)
WHERE tier >= 2 AND list_contains(domains, 'Language') AND size > 1e9 AND publication_date >= DATE '2023-01-01'
AND stated > expected
ORDER BY stated / expected DESC, model_id
