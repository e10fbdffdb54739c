-- title: dataset sizes in words, entered as tokens
-- remedy: correct dataset_size: with 4/3 tokens per word it equals the stated number of tokens
SELECT model_id, field, dataset_size AS stated, training_tokens AS expected,
say(stated) || ' × 4/3 = ' || say(stated * 4 / 3) || ', the tokens stated' AS evidence, [claim_id] AS claim_ids
FROM models JOIN selected USING (model_id)
WHERE field = 'dataset_size' AND dataset_unit IS DISTINCT FROM 'word'
AND abs(dataset_size * 4 / 3 / training_tokens - 1) <= 0.02 ORDER BY model_id
