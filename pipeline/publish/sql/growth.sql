-- Growth of training compute of notable models per year, by domain, for models published since 2010: least squares of log10 FLOP on the date.
-- domain: a domain of the model; a model of several domains counts in each
-- models: number of models with a date and training compute
-- growth_per_year: factor by which training compute grows in a year
-- doubling_months: months in which training compute doubles
-- r2: share of the variance of log10 FLOP that the line explains
WITH points AS (
  SELECT unnest(domains) AS domain, date_diff('day', DATE '2010-01-01', publication_date) / 365.25 AS year,
    log10(training_compute_flop) AS log_flop
  FROM models
  WHERE is_notable AND publication_date >= DATE '2010-01-01' AND training_compute_flop IS NOT NULL
)
SELECT domain, count(*) AS models, 10 ^ regr_slope(log_flop, year) AS growth_per_year,
  12 * log10(2) / regr_slope(log_flop, year) AS doubling_months, regr_r2(log_flop, year) AS r2
FROM points
GROUP BY domain
HAVING count(*) >= 10
ORDER BY models DESC, domain
