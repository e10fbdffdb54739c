-- title: publication dates after the first snapshot that has the model
-- remedy: look the date up; correct it in data/raw/curated/corrections.yml
WITH shown AS (SELECT model_id, min(since) AS first_shown FROM claims WHERE field = 'name' GROUP BY ALL)
SELECT model_id, field, publication_date::VARCHAR AS stated, first_shown::VARCHAR AS expected,
'published on ' || stated || ', but the snapshot of ' || expected || ' has it already' AS evidence,
[claim_id] AS claim_ids
FROM models JOIN shown USING (model_id) JOIN selected USING (model_id)
WHERE field = 'publication_date' AND publication_date > first_shown ORDER BY model_id
