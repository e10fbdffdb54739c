-- title: mixtures of experts by their names, which no source calls so
-- remedy: add a line to data/raw/curated/architectures.csv
SELECT model_id, 'architecture' AS field, NULL AS stated, 'MoE' AS expected,
name || ' names active parameters or experts' AS evidence, []::VARCHAR[] AS claim_ids
FROM models WHERE regexp_matches(name, '(?i)\bA\d+(?:\.\d+)?B\b|\bMoE\b|mixture of experts|\b\d+x\d+(?:\.\d+)?B\b')
AND model_id NOT IN (SELECT model_id FROM claims WHERE field = 'architecture' AND code LIKE '%MoE%')
AND model_id NOT IN (SELECT model_id FROM architectures WHERE architecture LIKE '%MoE%')
ORDER BY model_id
