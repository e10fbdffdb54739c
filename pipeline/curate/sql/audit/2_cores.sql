-- title: cores of TPUs entered as chips
-- remedy: correct hardware_quantity: a TPU v2 or v3 chip has two cores
-- The calculation of the same source halves the number before it multiplies by a chip's (rounded) rate.
WITH counted AS (
    SELECT q.*, peak, s.value_text AS text,
    regexp_extract_all(s.value_text, '\d+(?:\.\d+)?(?:e\d+)?')::DOUBLE[] AS numbers
    FROM claims q JOIN runs r USING (model_id) JOIN claims s USING (model_id, source_id)
    WHERE q.field = 'hardware_quantity' AND q.value IS NOT NULL AND q.reason_code NOT IN ('corrected', 'replaced')
    AND r.type = 'TPU' AND s.field = 'arithmetic')
SELECT model_id, field, value AS stated, value / 2 AS expected,
say(value) || ' chips, but the note has ' || text || ': two cores are one chip' AS evidence, [claim_id] AS claim_ids
FROM counted WHERE len([x FOR x IN numbers IF abs(x / peak - 1) < 0.03]) > 0
AND if(text LIKE '%1 / 2%', list_contains(numbers, value),
    list_contains(numbers, value / 2) AND NOT list_contains(numbers, value))
ORDER BY model_id
