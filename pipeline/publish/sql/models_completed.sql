-- What can be said about the training compute of every model: the value of models where there is one, five quantiles, what they rest on, and how often the intervals of that tier hold what was published. Tiers 2 to 4 are distributions, whose median is no estimate to be quoted.
-- training_compute_flop: The value of models, published or imputed; null from tier 2 on
-- assumptions: What the estimate assumes; of the regression, what it starts from
-- tier_coverage_90: Share of published values inside the 90 % intervals of this tier, each model judged by other organisations, without values that leave out the compute of the base model; null for published values, whose band is that of their confidence word
-- tier_models: Models from which that share comes
SELECT m.model_id, m.name, m.organization, m.domains, m.publication_date, m.is_notable, m.parameters, p.tier,
  m.training_compute_flop, p.flop_05, p.flop_25, p.flop_50, p.flop_75, p.flop_95, p.most_flop, p.method, p.estimate_id, e.assumptions,
  m.training_compute_source, c.coverage_90 AS tier_coverage_90, c.n AS tier_models
FROM models m JOIN predictions p USING (model_id) LEFT JOIN estimates e USING (estimate_id)
LEFT JOIN calibration c ON c.evaluation = 'folds_all' AND c.inputs = 'curated' AND c.method = 'cascade'
  AND c.subset = 'whole' AND c.tier = p.tier::VARCHAR
