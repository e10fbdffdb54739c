-- title: values that no calculation of their note comes near
-- remedy: read what the developers say; correct the value, or acknowledge it
-- A value is explained by a result within a factor of 3, by the sum of all, or by the geometric mean of two (two ways
-- to estimate one value). Results below 1e9 FLOP or a ten-thousandth of the value are steps: tokens, FLOP of one pass.
WITH results AS (
    SELECT claim_id, value, unnest(sides) AS result, unnest(['left', 'right']) AS side FROM sums),
totals AS (FROM results WHERE result > greatest(1e9, value * 1e-4)),
explained AS (
    SELECT claim_id FROM totals WHERE NOT apart(value, result, 3)
    UNION SELECT claim_id FROM totals WHERE side = 'left' GROUP BY claim_id, value
        HAVING NOT apart(value, sum(result), 3)
    UNION SELECT claim_id FROM totals a JOIN totals b USING (claim_id)
        WHERE abs(a.value / sqrt(a.result * b.result) - 1) <= 0.1)
SELECT model_id, field, value AS stated, sides[1] AS expected,
'the note has ' || text || '; the value is ' || say(value) AS evidence, [claim_id, sum_id] AS claim_ids
FROM sums WHERE claim_id NOT IN (FROM explained) AND sides[1] > greatest(1e9, value * 1e-4)
AND NOT (is_part AND value > sides[1])
QUALIFY row_number() OVER (PARTITION BY claim_id ORDER BY abs(log10(value / sides[1])), sum_id) = 1
ORDER BY NOT is_power_of_ten(stated / expected, 0.1), abs(log10(stated / expected)) DESC, model_id
