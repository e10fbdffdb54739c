-- Chips by the number of models that were trained on them, with their rates and when they were used.
-- models: Models that name the chip
-- first_use: Publication date of the first model that names the chip
-- last_use: Publication date of the last model that names the chip
-- training_compute_flop: Training FLOP of the models that name no other chip
SELECT h.hardware_id, h.name, h.manufacturer, h.release_date, h.tdp_w, h.h100_equivalents,
  count(DISTINCT model_id) AS models, min(publication_date) AS first_use, max(publication_date) AS last_use,
  sum(training_compute_flop) FILTER (kinds = 1) AS training_compute_flop
FROM (SELECT DISTINCT model_id, hardware_id, count(*) OVER (PARTITION BY model_id) AS kinds FROM model_hardware)
JOIN hardware h USING (hardware_id) JOIN models m USING (model_id)
GROUP BY ALL ORDER BY models DESC, h.hardware_id
