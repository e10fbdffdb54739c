-- How likely each model's training compute is at least 1e23, 1e24, 1e25 and 1e26 FLOP, by its quantiles, the least that it took and the most that it could have had.
-- threshold_flop: The threshold in FLOP
-- tier: Evidence level of the model, as in predictions
-- probability: Probability that the training compute is at least the threshold: between two quantiles, and beyond the last, its logarithm is normal
SELECT p.model_id, m.training_run_id, m.name, m.publication_date, m.is_notable, threshold_flop, m.training_compute_flop, p.tier,
  p.flop_05, p.flop_25, p.flop_50, p.flop_75, p.flop_95, m.training_compute_source,
  CASE WHEN threshold_flop <= p.least_flop THEN 1
    WHEN threshold_flop > p.most_flop AND p.flop_95 <= p.most_flop THEN 0
    ELSE probability_above(p.flop_05, p.flop_25, p.flop_50, p.flop_75, p.flop_95, threshold_flop) END AS probability
FROM models m JOIN predictions p USING (model_id), unnest([1e23, 1e24, 1e25, 1e26]) AS t(threshold_flop)
