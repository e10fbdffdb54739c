-- title: sizes and tokens of notable language models since 2020 that only one publisher gives
-- remedy: traincompute curate add-fact
SELECT field, count(*) FILTER (supporting_publishers < 2) AS count, count(*) AS total,
count(*) FILTER (supporting_publishers >= 2) / count(*) AS two_or_more
FROM claims JOIN models USING (model_id)
WHERE status = 'selected' AND field IN ('parameters', 'training_tokens') AND is_notable
AND publication_date >= DATE '2020-01-01' AND list_contains(domains, 'Language') GROUP BY field ORDER BY field
