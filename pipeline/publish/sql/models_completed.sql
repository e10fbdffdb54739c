-- Every model with a training compute: the value of models where there is one, else the statistical estimate, which no physical method supports and which stays within what is known of bounds.
-- training_compute_flop: Compute of the whole training run in FLOP; a statistical estimate where training_compute_source says so
-- training_compute_low: Lower end of the 90 % interval
-- training_compute_high: Upper end of the 90 % interval
-- training_compute_source: As in models, or statistical
SELECT m.model_id, m.name, m.organization, m.domains, m.publication_date, m.is_notable, m.parameters,
  coalesce(m.training_compute_flop, least(greatest(e.value, m.training_compute_low), m.training_compute_high))
    AS training_compute_flop,
  CASE WHEN m.training_compute_flop IS NOT NULL THEN m.training_compute_low
    ELSE least(greatest(e.low, m.training_compute_low), m.training_compute_high) END AS training_compute_low,
  CASE WHEN m.training_compute_flop IS NOT NULL THEN m.training_compute_high
    ELSE greatest(least(e.high, m.training_compute_high), m.training_compute_low) END AS training_compute_high,
  coalesce(m.training_compute_source, 'statistical') AS training_compute_source
FROM models m JOIN estimates e ON e.model_id = m.model_id AND e.method = 'statistical'
