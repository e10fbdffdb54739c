-- Models with at least 1e23 FLOP of training compute, largest first.
SELECT model_id, name, organization, publication_date, training_compute_flop,
  pfs_days(training_compute_flop) AS training_compute_pfs_days, training_compute_source
FROM models
WHERE training_compute_flop >= 1e23
ORDER BY training_compute_flop DESC, model_id
