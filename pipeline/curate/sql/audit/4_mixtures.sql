-- title: models that state the compute of another of other parameters
-- remedy: read which of the two it belongs to; drop the other, or decide the pair in data/raw/curated/identities.csv
-- Of models of one developer or link that no base and no shared run relates: the same to the last of three digits or
-- more. A value of fewer digits equals many others by chance.
WITH stated AS (
    SELECT *, list_append(organizations, coalesce(arxiv_id, reference_url, model_id)) AS makers,
    coalesce(training_run_id, model_id) AS run
    FROM models JOIN selected USING (model_id) WHERE field = 'training_compute_flop'
    AND length(rtrim(replace(split_part(printf('%.9e', training_compute_flop), 'e', 1), '.', ''), '0')) >= 3),
decided AS (SELECT slug(alias) AS one, model_id AS other FROM identities WHERE relation = 'distinct')
SELECT a.model_id, a.field, a.training_compute_flop AS stated, b.name AS expected,
say(a.parameters) || ' parameters, and ' || b.model_id || ' has the same compute with ' || say(b.parameters)
    AS evidence,
[a.claim_id, b.claim_id] AS claim_ids
FROM stated a JOIN stated b USING (training_compute_flop)
WHERE a.model_id < b.model_id AND abs(a.parameters - b.parameters) > 0.1 * b.parameters
AND list_has_any(a.makers, b.makers) AND a.run <> b.run
AND a.base_model_id IS DISTINCT FROM b.model_id AND b.base_model_id IS DISTINCT FROM a.model_id
AND NOT EXISTS (FROM decided WHERE (one, other) IN ((a.model_id, b.model_id), (b.model_id, a.model_id)))
ORDER BY a.model_id, b.model_id
