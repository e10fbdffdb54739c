-- title: values that their own note contradicts
-- remedy: read what the developers say; correct the value, or acknowledge it
-- A note states a figure or has calculations. A value is explained by a figure or result within a factor of 3, by the
-- sum of all left sides, or by the geometric mean of two results (two ways to estimate one value). A right side is no
-- result where the left side makes another, unless only a unit was left out there (3.25 * 500e9 * 6 = 9.75e21). Results
-- below 1e9 FLOP or a ten-thousandth of the value are steps: tokens, FLOP of one pass.
WITH notes AS (
    SELECT v.claim_id, v.model_id, v.field, v.value, s.claim_id AS note_id, s.value_text AS text,
    if(s.field = 'arithmetic', arithmetic(s.value_text), [s.value, NULL]) AS sides,
    model_id IN (FROM based) AND v.field = 'training_compute_flop' AS has_base
    FROM selected v JOIN claims s USING (model_id, source_id)
    WHERE v.value > 0 AND (v.field, s.field, s.locator) IN (
        ('training_compute_flop', 'training_compute_stated', s.locator),
        ('training_compute_flop', 'arithmetic', 'Training compute notes'),
        ('finetune_compute_flop', 'arithmetic', 'Finetune compute notes'))),
results AS (
    SELECT *, unnest([sides[1], if(apart(sides[2], sides[1], 3)
        AND NOT (is_power_of_ten(sides[2] / sides[1], 0.1) AND round(log10(sides[2] / sides[1])) % 3 = 0),
        NULL, sides[2])]) AS result, unnest([true, false]) AS is_left
    FROM notes),
totals AS (FROM results WHERE result > greatest(1e9, value * 1e-4)),
explained AS (
    SELECT claim_id FROM totals WHERE NOT apart(value, result, 3)
    UNION SELECT claim_id FROM totals WHERE is_left GROUP BY claim_id, value HAVING NOT apart(value, sum(result), 3)
    UNION SELECT claim_id FROM totals a JOIN totals b USING (claim_id)
        WHERE abs(a.value / sqrt(a.result * b.result) - 1) <= 0.1)
SELECT model_id, field, value AS stated, result AS expected,
'the note has ' || text || if(result = sides[1] AND sides[2] IS NOT NULL, ', which makes ' || say(result), '')
    || '; the value is ' || say(value) AS evidence,
[claim_id, note_id] AS claim_ids
FROM totals WHERE claim_id NOT IN (FROM explained) AND is_left AND NOT (has_base AND value > result)
QUALIFY row_number() OVER (PARTITION BY claim_id ORDER BY abs(log10(value / result)), note_id) = 1
ORDER BY abs(log10(stated / expected)) DESC, model_id
