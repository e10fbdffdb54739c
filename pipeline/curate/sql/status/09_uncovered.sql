-- title: models with training compute and no curated fact
-- remedy: traincompute curate add-fact
SELECT name, training_compute_flop, training_compute_source FROM models
WHERE training_compute_flop IS NOT NULL AND model_id NOT IN (SELECT model_id FROM claims WHERE source_id = 'curated')
ORDER BY training_compute_flop DESC, name
