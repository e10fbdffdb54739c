-- What the checks of `traincompute curate audit` share. arithmetic(text) gives both sides of a calculation (checks.py).
CREATE TEMP MACRO apart(one, other, factor) AS abs(log10(one / other)) >= log10(factor) - 1e-9;
CREATE TEMP MACRO is_power_of_ten(ratio, share) AS
    round(log10(ratio)) <> 0 AND abs(ratio / 10 ** round(log10(ratio)) - 1) <= share;
CREATE TEMP MACRO say(number) AS printf('%.4g', number::DOUBLE);
-- the claim of a field that the dataset publishes
CREATE TEMP VIEW selected AS SELECT * FROM claims WHERE status = 'selected';
-- models whose compute holds that of a base model, which their notes often leave out
CREATE TEMP VIEW based AS SELECT DISTINCT model_id FROM selected WHERE field = 'base_model';
-- claim → the correction that gives its value, or that says that somebody looked at it
CREATE TEMP VIEW acknowledged AS
    SELECT claim_id, correction AS correction_id FROM claims WHERE correction IS NOT NULL
    UNION SELECT claim_id, correction_id
    FROM claims c JOIN corrections k USING (source_id, record, field)
    WHERE k.action = 'acknowledge' AND coalesce(k.locator, '') = if(source_id = 'curated', '', coalesce(c.locator, ''))
    AND (k.value_text = c.value_text OR try_cast(k.value_text AS DOUBLE) = try_cast(c.value_text AS DOUBLE));
