-- title: training compute that needs more than the peak rate of its chips
-- remedy: check chips, time, number format and the value; correct the one that is wrong, or acknowledge the value
-- Every claim that no correction replaces, selected or not. Of a model with a base model its own training counts: the
-- fine-tuning or, where none is stated, what the value has beyond its base.
WITH tuned AS (SELECT DISTINCT model_id FROM claims WHERE field = 'finetune_compute_flop' AND status <> 'quarantined'),
own AS (
    SELECT c.*, hours, hardware_id, peak, hours * 3600 * peak AS most,
    CASE WHEN field = 'finetune_compute_flop' THEN if(is_based, value, NULL)
        WHEN NOT is_based THEN value
        WHEN model_id NOT IN (FROM tuned) THEN value - b.training_compute_flop END AS flop
    FROM (SELECT *, model_id IN (FROM based) AS is_based FROM claims) c
    JOIN runs USING (model_id) LEFT JOIN models b ON b.model_id = runs.base_model_id
    WHERE reason_code <> 'replaced' AND status <> 'quarantined'
    AND field IN ('training_compute_flop', 'finetune_compute_flop'))
SELECT model_id, field, value AS stated, most AS expected,
say(hours) || ' chip-hours on ' || hardware_id || ' at ' || say(peak) || ' FLOP/s are at most ' || say(most)
    || ' FLOP; the value ' || say(flop) || ' needs a utilisation of ' || printf('%.3g', flop / most) AS evidence,
[claim_id] AS claim_ids
FROM own WHERE flop > 1.01 * most ORDER BY flop / most DESC, model_id
