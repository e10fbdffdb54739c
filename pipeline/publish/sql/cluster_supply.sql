-- The most compute that a cluster of machine-learning chips could give by date: each existing cluster with more peak than all before it, what it does in 90 days at 40 % of its dense 16-bit peak, and a straight line through log10 of these records since 2019, with its 90 % prediction interval.
-- date: Date on which the cluster began work, or 1 January of a year to come
-- is_fit: Whether the row is of the fitted line
-- cluster: Name of the cluster
-- flop: FLOP in 90 days at 40 % of the peak
-- flop_low: Lower end of the 90 % prediction interval
-- flop_high: Upper end of the 90 % prediction interval
-- growth_per_year: Factor per year of the fitted line
WITH known AS (
  SELECT cluster_id, name, first_operational_date AS date, peak_16bit_ops AS peak FROM clusters
  WHERE status = 'existing' AND peak_16bit_ops IS NOT NULL AND first_operational_date IS NOT NULL
    AND single_cluster IS DISTINCT FROM 'no' AND possible_duplicate IS DISTINCT FROM true
), records AS (
  SELECT *, max(peak) OVER (ORDER BY date, peak DESC, cluster_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
  FROM known
), best AS (
  SELECT name, date, peak * 0.4 * 7776000 AS flop FROM records WHERE before IS NULL OR peak > before
), base AS (
  SELECT epoch(date) / 31557600 AS x, log10(flop) AS y, date FROM best WHERE date >= DATE '2019-01-01'
), fit AS (
  SELECT count(*) AS n, avg(x) AS mx, regr_sxx(y, x) AS sxx, regr_slope(y, x) AS b, regr_intercept(y, x) AS a,
    sqrt((regr_syy(y, x) - regr_slope(y, x) * regr_sxy(y, x)) / (count(*) - 2)) AS s, max(date) AS last
  FROM base
), line AS (
  SELECT make_date(year(last) + k, 1, 1) AS date, b, a + b * epoch(make_date(year(last) + k, 1, 1)) / 31557600 AS y,
    s * (1.6449 + 1.5238 / (n - 2) + 1.4203 / (n - 2) ^ 2) * -- Student's t for 90 % (Abramowitz and Stegun 26.7.5)
      sqrt(1 + 1.0 / n + (epoch(make_date(year(last) + k, 1, 1)) / 31557600 - mx) ^ 2 / sxx) AS half
  FROM fit, range(1, 6) t(k)
)
SELECT date, false AS is_fit, name AS cluster, flop, NULL::DOUBLE AS flop_low, NULL::DOUBLE AS flop_high,
  NULL::DOUBLE AS growth_per_year FROM best
UNION ALL
SELECT date, true, NULL, 10 ^ y, 10 ^ (y - half), 10 ^ (y + half), 10 ^ b FROM line
ORDER BY date, cluster
