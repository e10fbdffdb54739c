-- title: values that differ from the figure which their note states
-- remedy: read what the developers say; correct the value, or acknowledge it
-- The nearest figure counts. The value of a model made from another may be larger: it holds the compute of both.
SELECT v.model_id, v.field, v.value AS stated, s.value AS expected,
'the note states ' || say(s.value) || ' FLOP; the value is ' || say(v.value) AS evidence,
[v.claim_id, s.claim_id] AS claim_ids
FROM selected v JOIN claims s USING (model_id, source_id)
WHERE v.field = 'training_compute_flop' AND s.field = 'training_compute_stated' AND s.value > 1e9
QUALIFY row_number() OVER (PARTITION BY v.claim_id ORDER BY abs(log10(v.value / s.value)), s.claim_id) = 1
AND apart(v.value, s.value, 3) AND (v.value < s.value OR v.model_id NOT IN (FROM based))
ORDER BY abs(log10(stated / expected)) DESC, model_id
