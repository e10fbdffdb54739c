-- Growth of training compute of notable models per year, by domain, for models published since 2010: least squares of log10 of the published FLOP on the date, of each training run the first model; values imputed here are left out, as in trends, which has all domains together.
-- domain: a domain of the model; a model of several domains counts in each
-- runs: number of training runs with a date and published training compute
-- models: number of models, those of one run counted each
-- growth_per_year: factor by which training compute grows in a year
-- doubling_months: months in which training compute doubles
-- r2: share of the variance of log10 FLOP that the line explains
WITH named AS (
  SELECT *, unnest(domains) AS domain FROM models
  WHERE is_notable AND publication_date >= DATE '2010-01-01' AND training_compute_source <> 'imputed'
), points AS (
  SELECT domain, training_run_id, row_number() OVER (
      PARTITION BY domain, training_run_id ORDER BY publication_date, model_id) = 1 AS is_first, date_diff('day', DATE '2010-01-01', publication_date) / 365.25 AS year,
    log10(training_compute_flop) AS log_flop
  FROM named
)
SELECT domain, count(*) FILTER (is_first) AS runs, count(*) AS models,
  10 ^ regr_slope(log_flop, year) FILTER (is_first) AS growth_per_year,
  12 * log10(2) / regr_slope(log_flop, year) FILTER (is_first) AS doubling_months,
  regr_r2(log_flop, year) FILTER (is_first) AS r2
FROM points
GROUP BY domain
HAVING runs >= 10
ORDER BY runs DESC, domain
