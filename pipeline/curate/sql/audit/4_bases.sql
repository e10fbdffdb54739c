-- title: compute of a fine-tune without a base model
-- remedy: enter the base with traincompute curate add-fact … base_model …
SELECT model_id, field, value AS stated, NULL AS expected,
'a fine-tune of ' || say(value) || ' FLOP, but no base model is stated' AS evidence, [claim_id] AS claim_ids
FROM selected WHERE field = 'finetune_compute_flop' AND value IS NOT NULL AND model_id NOT IN (FROM based)
ORDER BY model_id
