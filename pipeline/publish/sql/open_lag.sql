-- How far open weights are behind: for each record of training compute set by an open notable model, the first closed notable model with at least as much, and the months between them.
-- open_model: Open-weights model that took more compute than every open one before it
-- closed_model: First notable model without open weights that took at least as much compute
-- closed_date: Its publication date
-- lag_months: Months from the closed model to the open one; negative where the open one came first
WITH known AS (
  SELECT model_id, name, publication_date, training_compute_flop, open_weights FROM models
  WHERE is_notable AND publication_date IS NOT NULL AND training_compute_flop IS NOT NULL AND open_weights IS NOT NULL
), records AS (
  SELECT *, max(training_compute_flop) OVER (
    ORDER BY publication_date, training_compute_flop DESC, model_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  ) AS before
  FROM known WHERE open_weights
), matched AS (
  SELECT r.model_id, r.name AS open_model, r.publication_date, r.training_compute_flop,
    min_by(c.name, (c.publication_date, c.model_id)) AS closed_model, min(c.publication_date) AS closed_date
  FROM records r LEFT JOIN known c ON NOT c.open_weights AND c.training_compute_flop >= r.training_compute_flop
  WHERE r.before IS NULL OR r.training_compute_flop > r.before
  GROUP BY ALL
)
SELECT open_model, publication_date, training_compute_flop, closed_model, closed_date,
  date_diff('day', closed_date, publication_date) / 30.4375 AS lag_months
FROM matched ORDER BY publication_date, open_model
