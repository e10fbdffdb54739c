-- Growth of training compute within each era: factor per year of the notable models, from a straight line through log10 FLOP over time.
-- era: Era, of the compute (Sevilla et al. 2022) or of its economics (Jones 2022)
-- kind: Which of the two
-- models: Notable models with compute
-- first_date: Date of the first
-- last_date: Date of the last
-- growth_per_year: Factor per year
-- doubling_months: Months in which compute doubles
SELECT kind, era, count(*) AS models, min(publication_date) AS first_date, max(publication_date) AS last_date,
  10 ^ regr_slope(log10(training_compute_flop), epoch(publication_date) / 31557600) AS growth_per_year,
  12 * log10(2) / regr_slope(log10(training_compute_flop), epoch(publication_date) / 31557600) AS doubling_months
FROM (
  SELECT 'compute' AS kind, era_compute AS era, * FROM models
  UNION ALL SELECT 'economic', era_economic, * FROM models
)
WHERE is_notable AND training_compute_flop IS NOT NULL AND era IS NOT NULL
GROUP BY kind, era ORDER BY kind, first_date
