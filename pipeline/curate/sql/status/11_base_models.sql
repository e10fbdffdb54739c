-- title: models whose base model has another name here
-- remedy: traincompute curate add-fact … base_model … with the name that it has here
SELECT name, code AS base_model FROM models JOIN claims USING (model_id)
WHERE field = 'base_model' AND status = 'selected' AND base_model_id IS NULL ORDER BY name
