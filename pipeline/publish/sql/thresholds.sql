-- Training runs of at least 1e23, 1e24, 1e25 and 1e26 FLOP published by the end of each year, and of the last by the day of the last model, to which the data reach: counted by their values, and the expected number with a 90 % band over the distributions of all models, by what these rest on (of a run, the model that is known best, and among these the likeliest; Poisson-binomial distribution of independent runs, from its characteristic function: Hong 2013, doi:10.1016/j.csda.2012.10.006; chances within 0.002 of 0 or 1 are added up to a Poisson distribution: Le Cam 1960, doi:10.2140/pjm.1960.10.1181).
-- threshold_flop: The threshold in FLOP
-- scope: notable models, or all
-- published_until: Models published until this day
-- runs: Training runs with a model whose value is at least the threshold
-- models: Models whose value is at least the threshold, those of one run counted each
-- published_values: Runs whose value is published, not imputed
-- expected_runs: Sum of the probabilities that a run takes at least the threshold
-- expected_tier_0: The part of it from models with a published value
-- expected_tier_1: From models with a physical estimate
-- expected_tier_2: From models of which the base's compute alone is known
-- expected_tier_3: From the regressions on an index, size, data or chips
-- expected_tier_4: From the regression on date and kind
-- low_90: 5 % quantile of the number of runs above the threshold
-- high_90: 95 % quantile of the number of runs above the threshold
WITH scopes AS (
  SELECT *, unnest(CASE WHEN is_notable THEN ['all', 'notable'] ELSE ['all'] END) AS scope FROM threshold_probabilities
), years AS (
  SELECT least(make_date(y::INTEGER, 12, 31), (SELECT max(publication_date) FROM models)) AS published_until
  FROM range(2017, (SELECT max(year(publication_date)) + 1 FROM models)) AS r(y)
), named AS (
  SELECT threshold_flop, scope, published_until, training_run_id, min(tier) AS tier,
    arg_max(probability, (-tier, probability)) AS probability,
    count(*) FILTER (training_compute_flop >= threshold_flop) AS models,
    bool_or(training_compute_flop >= threshold_flop AND training_compute_source <> 'imputed') AS is_published
  FROM scopes JOIN years ON publication_date <= published_until
  GROUP BY threshold_flop, scope, published_until, training_run_id
), dated AS (
  SELECT *, CASE WHEN probability < 0.002 THEN 'rare' WHEN probability > 0.998 THEN 'sure' ELSE 'open' END AS kind
  FROM named
), counted AS (
  SELECT threshold_flop, scope, published_until, count(*) FILTER (models > 0) AS runs, sum(models)::BIGINT AS models,
    count(*) FILTER (is_published) AS published_values, sum(probability) AS expected_runs,
    coalesce(sum(probability) FILTER (tier = 0), 0) AS expected_tier_0,
    coalesce(sum(probability) FILTER (tier = 1), 0) AS expected_tier_1,
    coalesce(sum(probability) FILTER (tier = 2), 0) AS expected_tier_2,
    coalesce(sum(probability) FILTER (tier = 3), 0) AS expected_tier_3,
    coalesce(sum(probability) FILTER (tier = 4), 0) AS expected_tier_4,
    count(*) FILTER (kind = 'sure') AS sure, count(*) FILTER (kind = 'open') AS n_open,
    coalesce(sum(probability) FILTER (kind = 'rare'), 0) AS hits,
    coalesce(sum(1 - probability) FILTER (kind = 'sure'), 0) AS misses
  FROM dated GROUP BY threshold_flop, scope, published_until
), sized AS (
  SELECT *, ceil(hits + 8 * sqrt(hits) + 8)::INTEGER AS above, ceil(misses + 8 * sqrt(misses) + 8)::INTEGER AS below,
    n_open + above + below + 1 AS size
  FROM counted
), frequencies AS (
  SELECT *, unnest(range(size // 2 + 1)) AS j, 2 * pi() * j / size AS angle FROM sized
), transformed AS (
  SELECT f.threshold_flop, f.scope, f.published_until, f.sure, f.below, f.size, f.angle,
    CASE WHEN j = 0 OR 2 * j = f.size THEN 1 ELSE 2 END AS times,
    any_value(f.hits + f.misses) * (cos(angle) - 1) + coalesce(
      sum(ln(greatest(1 - 2 * probability * (1 - probability) * (1 - cos(angle)), 1e-300)) / 2)
        FILTER (probability IS NOT NULL), 0) AS log_size,
    any_value(f.hits - f.misses) * sin(angle) + coalesce(
      sum(atan2(probability * sin(angle), 1 - probability + probability * cos(angle))), 0) AS phase
  FROM frequencies f LEFT JOIN dated d ON d.kind = 'open' AND d.threshold_flop = f.threshold_flop
    AND d.scope = f.scope AND d.published_until = f.published_until
  GROUP BY f.threshold_flop, f.scope, f.published_until, f.sure, f.below, f.size, f.angle, f.j
), chances AS (
  SELECT threshold_flop, scope, published_until, sure - below + k AS number,
    sum(times * exp(log_size) * cos(phase - angle * (k - below))) / size AS chance
  FROM (SELECT *, unnest(range(size)) AS k FROM transformed WHERE log_size > -40)
  GROUP BY threshold_flop, scope, published_until, sure, below, size, k
), cumulated AS (
  SELECT *, sum(chance) OVER (PARTITION BY threshold_flop, scope, published_until ORDER BY number) AS up_to FROM chances
), bands AS (
  SELECT threshold_flop, scope, published_until, min(number) FILTER (up_to >= 0.05) AS low_90,
    min(number) FILTER (up_to >= 0.95) AS high_90
  FROM cumulated GROUP BY ALL
)
SELECT threshold_flop, scope, published_until, runs, models, published_values, round(expected_runs, 6) AS expected_runs,
  round(expected_tier_0, 6) AS expected_tier_0, round(expected_tier_1, 6) AS expected_tier_1,
  round(expected_tier_2, 6) AS expected_tier_2, round(expected_tier_3, 6) AS expected_tier_3,
  round(expected_tier_4, 6) AS expected_tier_4, low_90, high_90
FROM counted JOIN bands USING (threshold_flop, scope, published_until)
ORDER BY threshold_flop, scope, published_until
