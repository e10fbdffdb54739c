-- the findings of a check with the names of the models, and the correction that deals with each
SELECT model_id, name, field, stated, expected, evidence, (
    SELECT min(correction_id) FROM acknowledged WHERE list_contains(claim_ids, claim_id)) AS correction_id
FROM ({}) JOIN models USING (model_id)
