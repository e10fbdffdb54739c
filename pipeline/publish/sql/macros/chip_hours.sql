-- Chip-hours that a number of FLOP takes on a chip (hardware_id or name, folded as by name_key) at a share of its dense FP16 or BF16 peak: FLOP ÷ (peak × utilisation × 3,600 s).
(flop, chip, utilisation) AS flop / (utilisation * 3600.0 * (
  SELECT any_value(coalesce(peak_tensor_fp16_flops, greatest(peak_fp16_flops, peak_fp32_flops)))
  FROM hardware WHERE name_key(chip) IN (name_key(hardware_id), name_key(name))))
