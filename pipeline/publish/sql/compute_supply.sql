-- The most compute that could be had by date: what the first machine of the Top500 and the whole list do in 90 days, from the lists until now and, after the last one, from a straight line through log10 of the lists of the last fifteen years, with its 90 % prediction interval.
-- date: First day of the month of the list, or of a year to come
-- is_fit: Whether the row is of the fitted line; else it is of a list
-- flop_first: FLOP that the first machine does at Rmax in 90 days
-- flop_first_low: Lower end of the 90 % prediction interval
-- flop_first_high: Upper end of the 90 % prediction interval
-- flop_sum: FLOP that all 500 machines do at Rmax in 90 days
-- flop_sum_low: Lower end of the 90 % prediction interval
-- flop_sum_high: Upper end of the 90 % prediction interval
-- largest_model_flop: Training compute of the largest model published until the date
WITH base AS (
  SELECT list_date, epoch(list_date) / 31557600 AS x, log10(rmax_first * 7776000) AS y1, log10(rmax_sum * 7776000) AS y2
  FROM supercomputers WHERE list_date > (SELECT max(list_date) FROM supercomputers) - INTERVAL 15 YEAR
), fit AS (
  SELECT count(*) AS n, avg(x) AS mx, regr_sxx(y1, x) AS sxx, regr_slope(y1, x) AS b1, regr_intercept(y1, x) AS a1,
    regr_slope(y2, x) AS b2, regr_intercept(y2, x) AS a2,
    sqrt((regr_syy(y1, x) - regr_slope(y1, x) * regr_sxy(y1, x)) / (count(*) - 2)) AS s1,
    sqrt((regr_syy(y2, x) - regr_slope(y2, x) * regr_sxy(y2, x)) / (count(*) - 2)) AS s2,
    max(list_date) AS last
  FROM base
), ahead AS (
  SELECT make_date(year(last) + k, 6, 1) AS date, fit.* FROM fit, range(1, 11) t(k)
), line AS (
  SELECT date, a1 + b1 * epoch(date) / 31557600 AS y1, a2 + b2 * epoch(date) / 31557600 AS y2, s1, s2,
    (1.6449 + 1.5238 / (n - 2) + 1.4203 / (n - 2) ^ 2) * -- Student's t for 90 % (Abramowitz and Stegun 26.7.5)
      sqrt(1 + 1.0 / n + (epoch(date) / 31557600 - mx) ^ 2 / sxx) AS t
  FROM ahead
)
SELECT list_date AS date, false AS is_fit, rmax_first * 7776000 AS flop_first, NULL::DOUBLE AS flop_first_low,
  NULL::DOUBLE AS flop_first_high, rmax_sum * 7776000 AS flop_sum, NULL::DOUBLE AS flop_sum_low,
  NULL::DOUBLE AS flop_sum_high,
  (SELECT max(training_compute_flop) FROM models WHERE publication_date <= list_date) AS largest_model_flop
FROM supercomputers
UNION ALL
SELECT date, true, 10 ^ y1, 10 ^ (y1 - t * s1), 10 ^ (y1 + t * s1), 10 ^ y2, 10 ^ (y2 - t * s2), 10 ^ (y2 + t * s2), NULL
FROM line ORDER BY date
