-- Growth of training compute within each era: factor per year of the training runs of notable models, as the table trends has it (a straight line through log10 of the published FLOP over time).
-- kind: Of the compute (Sevilla et al. 2022) or of its economics (Jones 2022)
-- era: The era
-- runs: Training runs of notable models with published compute
-- models: Their models
-- first_date: Date of the first
-- last_date: Date of the last
-- growth_per_year: Factor per year
-- doubling_months: Months in which compute doubles
SELECT replace("group", 'era_', '') AS kind, member AS era, n AS runs, models, first_date, last_date, growth_per_year, doubling_months
FROM trends WHERE quantity = 'training_compute_flop' AND "group" IN ('era_compute', 'era_economic') ORDER BY kind, first_date, era
