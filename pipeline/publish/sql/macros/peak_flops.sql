-- Dense peak rate in FLOP/s of a chip named by hardware_id or name, folded as by name_key: FP16 or BF16 on tensor cores, else the larger of FP16 and FP32.
(chip) AS (SELECT any_value(coalesce(peak_tensor_fp16_flops, greatest(peak_fp16_flops, peak_fp32_flops)))
  FROM hardware WHERE name_key(chip) IN (name_key(hardware_id), name_key(name)))
