-- the findings of a check with the names of the models, but for those that a correction deals with
SELECT model_id, name, field, stated, expected, evidence FROM ({}) JOIN models USING (model_id)
WHERE NOT EXISTS (FROM acknowledged WHERE list_contains(claim_ids, claim_id))
