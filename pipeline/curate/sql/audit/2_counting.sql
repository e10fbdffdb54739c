-- title: values a factor of 10 from what their parameters and tokens, or their chips and hours, make
-- remedy: check these and the value; correct the one that is wrong, or acknowledge the value
-- Models without a base model. Of language models also a slip of the decimal point with the same digits, and a value
-- that is just parameters × tokens, without the factor 6.
WITH counted AS (
    SELECT model_id, method, field, training_compute_flop AS stated, value AS expected, formula,
    value / regexp_extract(formula, '^[0-9.]+')::DOUBLE AS product
    FROM models JOIN estimates USING (model_id)
    WHERE field = 'training_compute_flop' AND training_compute_source <> 'imputed' AND model_id NOT IN (FROM based)
    AND NOT coalesce(list_contains(assumptions, 'the dataset is counted in tokens'), false)
    AND (method = 'hardware'
        OR method = 'operation_counting' AND formula LIKE '%parameters%'
            AND (domains IS NULL OR list_contains(domains, 'Language'))))
SELECT model_id, field, stated, expected,
formula || ' = ' || say(expected) || ' FLOP; the value is ' || say(stated) AS evidence, [claim_id] AS claim_ids
FROM counted JOIN selected USING (model_id, field)
WHERE selected.value IS NOT NULL AND (apart(stated, expected, 10)
    OR method = 'operation_counting' AND (abs(stated / product - 1) <= 0.02 OR is_power_of_ten(stated / expected, 0.01)))
ORDER BY abs(log10(stated / expected)) DESC, model_id
