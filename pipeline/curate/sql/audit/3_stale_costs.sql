-- title: costs of chip-hours or compute that have been corrected since
-- remedy: drop the cost in data/raw/curated/corrections.yml, or acknowledge it
-- A publisher works a cost out from its chip-hours or, if it prints none and the model has no base, from its compute.
WITH facts AS (
    SELECT *, publisher AS printed_by FROM claims WHERE locator IS NULL
    UNION ALL SELECT *, 'selected' FROM selected),
newest AS (
    PIVOT (SELECT model_id, printed_by, field, arg_max(value, since::VARCHAR || claim_id) AS value FROM facts
        GROUP BY ALL)
    ON field IN ('chip_hours', 'hardware_quantity', 'training_hours', 'training_compute_flop') USING any_value(value)),
amounts AS (
    SELECT *, coalesce(chip_hours, hardware_quantity * training_hours) AS hours, training_compute_flop AS flop
    FROM newest),
priced AS (
    SELECT c.model_id, field, value, claim_id, if(p.hours IS NULL, 'FLOP', 'chip-hours') AS amount,
    coalesce(p.hours, if(c.model_id IN (FROM based), NULL, p.flop)) AS was,
    if(p.hours IS NULL, now.flop, now.hours) AS is_now
    FROM selected c JOIN amounts p ON (p.model_id, p.printed_by) = (c.model_id, c.publisher)
    JOIN amounts now ON (now.model_id, now.printed_by) = (c.model_id, 'selected')
    WHERE field IN ('training_cost_usd', 'training_cost_cloud_usd') AND value IS NOT NULL)
SELECT model_id, field, value AS stated, value * is_now / was AS expected,
say(value) || ' dollars for ' || say(was) || ' ' || amount || ', since '
    || coalesce('corrected to ' || say(is_now), 'left out') AS evidence,
[claim_id] AS claim_ids
FROM priced WHERE was IS NOT NULL AND coalesce(is_now / was, 0) NOT BETWEEN 0.8 AND 1.25
ORDER BY abs(log10(is_now / was)) DESC NULLS LAST, model_id
