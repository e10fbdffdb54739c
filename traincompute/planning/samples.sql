-- What the published tables measured or print: `value` of each sample by `quantity` and `key`, "" being all. $without
-- leaves out the runs of an organisation. A chip's family is the first word of its name with a digit: what holds for one
-- variant stands for all (Cottier et al. 2024, section 2.2).
WITH chips AS (
  SELECT *, {family} AS family, {half} AS half FROM hardware
), one_chip AS (
  SELECT model_id, any_value(hardware_id) AS hardware_id FROM model_hardware GROUP BY model_id HAVING count(*) = 1
), printed AS (  -- whole language models trained on one kind of chip, as their sources print them
  SELECT family, type, tdp_w, half AS peak, coalesce(numerical_format, 'BF16') IN ('BF16', 'FP16') AS in_half,
    coalesce(chip_hours, hardware_quantity * training_hours) AS hours, training_compute_flop AS flop,
    6 * coalesce(parameters_active, parameters) * training_tokens AS counted,
    if(training_energy_source <> 'imputed', training_energy_kwh, NULL) AS energy,
    if(training_cost_source <> 'imputed', training_cost_usd, NULL) AS cost
  FROM models JOIN one_chip USING (model_id) JOIN chips USING (hardware_id)
  WHERE run_scope = 'whole' AND list_contains(domains, 'Language') AND organization IS DISTINCT FROM $without
), measured AS (  -- of the peak, by family and format: BF16 is as FP16, MXFP8 as FP8
  SELECT {chip_family} AS family, share_of_peak AS value,
    regexp_replace(coalesce(format_in_use, numerical_format), '^(MX|NV)?(BF|FP)', 'FP') AS format
  FROM measured_runs WHERE share_of_peak IS NOT NULL AND stage = 'pre-training'
), in_half AS (FROM measured WHERE format = 'FP16'
), usual AS (SELECT family, median(value) AS usual FROM in_half GROUP BY family HAVING count(*) >= 5
), reached AS (  -- what runs in 16 bits whose published compute is 6ND reach of that over all their hours
  SELECT counted / (peak * 3600 * hours) / coalesce(usual, (SELECT median(value) FROM in_half)) AS value
  FROM printed LEFT JOIN usual USING (family)
  WHERE counted BETWEEN flop / 1.25 AND flop * 1.25 AND counted < peak * 3600 * hours AND in_half
), drawn AS (  -- mean W of a chip with its share of the server per W of its rating; printed energy is of the data centre
  SELECT type, power_per_chip_w / tdp_w AS value FROM measured_runs JOIN hardware USING (hardware_id)
  UNION ALL
  SELECT type, 1000 * energy / (hours * tdp_w * (SELECT median(pue) FROM grid_regions)) FROM printed
), offers AS (
  SELECT *, {offer_family} AS family, year(price_date) AS year, coalesce(chips, 1) < 4 AS is_bare FROM hardware_prices
), bought AS (
  FROM offers WHERE kind = 'purchase' QUALIFY is_bare = min(is_bare) OVER (PARTITION BY family)
), owned AS (  -- an hour of a chip with its share of server and network, at the prices of the newest year: of machines
  -- with several chips, else {server} times that of a chip. It loses {decline} orders of magnitude of its value a year, and
  -- the network is {network} of a cluster
  SELECT family, year, price_usd * if(is_bare, {server}, 1) * ({decline} * ln(10) / 8766 / (1 - {network})) AS value
  FROM bought QUALIFY year = max(year) OVER (PARTITION BY family)
), rented AS (
  SELECT family, year, price_usd_per_chip_hour AS value FROM offers WHERE kind <> 'purchase'
  QUALIFY year = max(year) OVER (PARTITION BY family)
), owning AS (SELECT family, median(value) AS usual FROM owned GROUP BY family
), paid AS (  -- printed cost (hardware and energy) per chip-hour, over that price
  SELECT type, cost / hours / usual AS value FROM printed JOIN owning USING (family)
), regions AS (
  SELECT *, ['', lower(region_id), lower(region), lower(state), lower(country)] AS keys FROM grid_regions
), samples(quantity, keys, value, year) AS (
  SELECT 'utilization', [family || ' ' || format, format, ''], value, NULL FROM measured
  UNION ALL SELECT 'reached', [''], value, NULL FROM reached
  UNION ALL SELECT 'draw', [type, ''], value, NULL FROM drawn
  UNION ALL SELECT 'price_per_hour', [family], value, year FROM owned
  UNION ALL SELECT 'paid', [type, ''], value, NULL FROM paid
  UNION ALL SELECT 'rent', [family], value, year FROM rented
  UNION ALL SELECT 'pue', list_distinct(keys), pue, NULL FROM regions
  UNION ALL SELECT 'grams_per_kwh', list_distinct(keys), carbon_intensity_g_per_kwh, NULL FROM regions
)
SELECT quantity, key, median(value) AS value, quantile_cont(value, 0.05) AS low, quantile_cont(value, 0.95) AS high,
  count(value) AS count, any_value(year) AS year
FROM (SELECT quantity, unnest(keys) AS key, value, year FROM samples) WHERE key IS NOT NULL GROUP BY quantity, key
