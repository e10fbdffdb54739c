-- title: values that repeat a result which their note has miscalculated
-- remedy: read what the developers say; correct the value, or acknowledge it
-- A result that is a thousand or a million times its left side only left out a unit there (3.25 * 500e9 * 6 = 9.75e21).
SELECT model_id, field, value AS stated, sides[1] AS expected,
'the note has ' || text || ', but the left side makes ' || say(sides[1]) AS evidence, [claim_id, sum_id] AS claim_ids
FROM sums WHERE apart(sides[2], sides[1], 3) AND abs(value / sides[2] - 1) <= 0.1
AND NOT (is_power_of_ten(sides[2] / sides[1], 0.1) AND round(log10(sides[2] / sides[1])) % 3 = 0)
ORDER BY abs(log10(stated / expected)) DESC, model_id
