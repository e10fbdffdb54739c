-- title: models that state the compute of another of other parameters
-- remedy: read which of the two it belongs to; drop the other, or decide the pair in data/raw/curated/identities.csv
-- The same to the last of three digits or more: a value of fewer digits equals many others by chance.
SELECT a.model_id AS model_id, 'training_compute_flop' AS field, a.training_compute_flop AS stated, b.name AS expected,
say(a.parameters) || ' parameters, and ' || b.model_id || ' has the same compute with ' || say(b.parameters)
    AS evidence,
[x.claim_id, y.claim_id] AS claim_ids
FROM pairs JOIN selected x ON (x.model_id, x.field) = (a.model_id, 'training_compute_flop')
JOIN selected y ON (y.model_id, y.field) = (b.model_id, 'training_compute_flop')
WHERE a.training_compute_flop = b.training_compute_flop
AND abs(a.parameters - b.parameters) > 0.1 * b.parameters
AND length(rtrim(replace(split_part(printf('%.9e', stated), 'e', 1), '.', ''), '0')) >= 3
ORDER BY model_id, b.model_id
