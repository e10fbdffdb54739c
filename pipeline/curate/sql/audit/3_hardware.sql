-- title: values a factor of 10 from chips × time × usual utilisation
-- remedy: check chips, time, number format and the value; correct the one that is wrong, or acknowledge the value
SELECT model_id, c.field, training_compute_flop AS stated, e.value AS expected,
formula || ' = ' || say(expected) || ' FLOP; the value is ' || say(stated) AS evidence, [claim_id] AS claim_ids
FROM runs JOIN estimates e USING (model_id) JOIN selected c USING (model_id)
WHERE method = 'hardware' AND e.field = 'training_compute_flop' AND c.field = e.field
AND training_compute_source <> 'imputed' AND model_id NOT IN (FROM based)
AND apart(stated, expected, 10) AND stated <= 1.01 * hours * 3600 * peak
ORDER BY abs(log10(stated / expected)) DESC, model_id
