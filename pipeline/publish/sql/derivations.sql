-- How the derived numbers of each model come about, with the numbers put in: one row per model and derived column that has a value. Power, energy, carbon, cost and training compute have their formulas in estimates.
-- field: Column of models
-- value: Its value
-- formula: The formula with the numbers put in
WITH about AS (
  SELECT m.model_id, m.publication_date, m.training_compute_flop, m.training_compute_pfs_days, m.training_tokens,
    m.training_cost_usd, m.training_cost_nominal_usd, m.training_energy_kwh, m.days_on_top500_first, m.flop_per_usd, m.flop_per_wh,
    m.a100_hours, m.h100_hours, m.tokens_per_parameter, m.tokens_over_optimal,
    m.frontier_rank, t.name AS list_name, t.number_one_name, t.rmax_first, h.name AS chip, h.a100_equivalents, h.h100_equivalents,
    coalesce(m.chip_hours, m.hardware_quantity * m.training_hours) AS hours,
    coalesce(m.parameters_active, m.parameters) AS n,
    CASE WHEN b.model_id IS NULL THEN m.training_compute_flop ELSE m.finetune_compute_flop END AS own
  FROM models m
  ASOF LEFT JOIN supercomputers t ON m.publication_date >= t.list_date
  LEFT JOIN (SELECT model_id, any_value(hardware_id) AS hardware_id FROM model_hardware WHERE hardware_id IS NOT NULL
    GROUP BY model_id HAVING count(DISTINCT hardware_id) = 1) k ON k.model_id = m.model_id
  LEFT JOIN hardware h ON h.hardware_id = k.hardware_id
  LEFT JOIN (SELECT DISTINCT model_id FROM claims WHERE field = 'base_model' AND status = 'selected') b ON b.model_id = m.model_id
), lines AS (
  SELECT model_id, unnest([
    {'field': 'training_compute_pfs_days', 'value': training_compute_pfs_days,
     'formula': printf('%.4g FLOP ÷ 8.64e19', training_compute_flop)},
    {'field': 'days_on_top500_first', 'value': days_on_top500_first,
     'formula': printf('%.4g FLOP ÷ (%.4g FLOP/s of %s, list of %s × 86400 s)', training_compute_flop, rmax_first, number_one_name, list_name)},
    {'field': 'training_cost_nominal_usd', 'value': training_cost_nominal_usd,
     'formula': printf('%.4g USD of 2023 × %.4g price index', training_cost_usd, training_cost_nominal_usd / training_cost_usd)},
    {'field': 'flop_per_usd', 'value': flop_per_usd, 'formula': printf('%.4g FLOP ÷ %.4g USD', own, training_cost_usd)},
    {'field': 'flop_per_wh', 'value': flop_per_wh, 'formula': printf('%.4g FLOP ÷ (1000 × %.4g kWh)', own, training_energy_kwh)},
    {'field': 'a100_hours', 'value': a100_hours, 'formula': printf('%.4g chip-hours × %.4g A100 per %s', hours, a100_equivalents, chip)},
    {'field': 'h100_hours', 'value': h100_hours, 'formula': printf('%.4g chip-hours × %.4g H100 per %s', hours, h100_equivalents, chip)},
    {'field': 'tokens_per_parameter', 'value': tokens_per_parameter,
     'formula': printf('%.4g tokens ÷ %.4g parameters', training_tokens, n)},
    {'field': 'tokens_over_optimal', 'value': tokens_over_optimal,
     'formula': printf('%.4g tokens per parameter ÷ 20', tokens_per_parameter)},
    {'field': 'frontier_rank', 'value': frontier_rank::DOUBLE,
     'formula': printf('1 + %d training runs until %s with more than %.4g FLOP', frontier_rank - 1, publication_date::VARCHAR, training_compute_flop)}
  ], recursive := true) FROM about
)
SELECT model_id, field, value, formula FROM lines WHERE value IS NOT NULL ORDER BY model_id, field
