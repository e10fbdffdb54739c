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
-- models that name one chip of the hardware table, with its peak rate in the number format of the run
CREATE TEMP VIEW runs AS
    WITH chips AS (
        SELECT model_id, any_value(hardware_id) AS hardware_id FROM model_hardware GROUP BY ALL
        HAVING count(*) = 1 AND count(hardware_id) = 1),
    rates AS (
        SELECT *, coalesce(peak_tensor_fp16_flops, greatest(peak_fp16_flops, peak_fp32_flops)) AS half,
        CASE WHEN type = 'TPU' THEN half ELSE peak_fp32_flops END AS single FROM hardware)
    SELECT m.*, r.hardware_id, r.type,
    coalesce(chip_hours, hardware_quantity * training_hours) AS hours,
    CASE WHEN numerical_format IN ('FP8', 'MXFP8') THEN coalesce(peak_fp8_flops, half)
        WHEN numerical_format IN ('FP4', 'NVFP4', 'MXFP4') THEN coalesce(peak_fp4_flops, peak_fp8_flops, half)
        WHEN numerical_format IN ('BF16', 'FP16') THEN half
        WHEN numerical_format = 'TF32' THEN coalesce(peak_tf32_flops, peak_fp32_flops)
        WHEN numerical_format = 'FP32' THEN single
        WHEN numerical_format = 'FP64' THEN peak_fp64_flops
        ELSE coalesce(peak_tensor_fp16_flops, single) END AS peak
    FROM models m JOIN chips USING (model_id) JOIN rates r USING (hardware_id);
