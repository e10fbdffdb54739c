-- What single fact, besides the figure itself, would tell most about the compute of a model without a value: for each method that lacks one input, the input, and the half-width of the 90 % interval now and then.
-- field: The fact that is missing
-- method: The method that could be used with it; statistical = the regression, with a size instead of date and kind alone
-- half_width_dex: Half-width of the model's 90 % interval now, in powers of ten
-- then_dex: Mean half-width of the estimates of that method (calibration, each notable model judged by other organisations)
-- narrows_1e24: How much it would narrow the count of models of at least 1e24 FLOP: p (1 - p), p the probability to reach it, times the share of the variance of log10 FLOP that the fact takes away
-- narrows_1e25: The same for 1e25 FLOP
WITH needed(method, reason, field) AS (VALUES
  ('hardware', 'needs chip-hours, or chips and hours', 'chip_hours'),
  ('hardware', 'needs chips per type', 'hardware_quantity'),
  ('operation_counting', 'needs parameters', 'parameters'),
  ('operation_counting', 'needs active parameters: a mixture of experts', 'parameters_active'),
  ('operation_counting', 'needs tokens seen or the dataset''s size', 'training_tokens'),
  ('operation_counting', 'needs the dataset in tokens', 'training_tokens'),
  ('operation_counting', 'needs tokens seen: part of an epoch', 'training_tokens'),
  ('operation_counting', 'needs epochs', 'epochs'),
  ('base_plus_finetune', 'a bound, no value: needs the fine-tune''s own compute', 'finetune_compute_flop')
), widths AS (
  SELECT evaluation, method, tier, mean_half_width_90_dex AS then_dex FROM calibration
  WHERE evaluation IN ('folds', 'sized') AND inputs = 'curated' AND subset = 'whole'
), lacking AS (
  SELECT e.model_id, e.method, n.field, w.then_dex
  FROM estimates e JOIN needed n USING (method, reason) JOIN models m USING (model_id)
  JOIN widths w ON w.evaluation = 'folds' AND w.method = e.method AND w.tier = 'all'
  WHERE e.field = 'training_compute_flop'
    AND (n.field NOT LIKE 'parameters%' OR m.training_tokens IS NOT NULL OR m.dataset_unit = 'token' AND m.epochs IS NOT NULL)
  UNION ALL
  SELECT p.model_id, 'statistical', 'parameters', w.then_dex
  FROM predictions p JOIN models m USING (model_id) JOIN widths w ON w.evaluation = 'sized' AND w.method = 'cascade'
  WHERE p.tier = 4 AND m.parameters IS NULL
), best AS (
  SELECT model_id, field, arg_min(method, (then_dex, method)) AS method, min(then_dex) AS then_dex
  FROM lacking GROUP BY model_id, field
), now AS (
  SELECT model_id, tier, log10(flop_95 / flop_05) / 2 AS half_width_dex,
    probability_above(flop_05, flop_25, flop_50, flop_75, flop_95, 1e24) AS p_24,
    probability_above(flop_05, flop_25, flop_50, flop_75, flop_95, 1e25) AS p_25
  FROM predictions WHERE tier >= 2
)
SELECT model_id, name, organization, publication_date, is_notable, tier, field, b.method,
  round(half_width_dex, 3) AS half_width_dex, round(then_dex, 3) AS then_dex,
  round(p_24 * (1 - p_24) * (1 - (then_dex / half_width_dex) ^ 2), 4) AS narrows_1e24,
  round(p_25 * (1 - p_25) * (1 - (then_dex / half_width_dex) ^ 2), 4) AS narrows_1e25
FROM now JOIN best b USING (model_id) JOIN models USING (model_id)
WHERE round(then_dex, 3) < round(half_width_dex, 3)
ORDER BY narrows_1e25 DESC, model_id, field
