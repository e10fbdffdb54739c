-- For each year the notable model with the most training compute, and the organisation with the largest share of it.
-- year: Year of publication
-- largest_model: Notable model with the most training FLOP of the year
-- leader: Organisation with the largest share of the training FLOP of the year's notable models
-- leader_share: That share
WITH largest AS (
  SELECT year(publication_date) AS year, arg_max(name, (training_compute_flop, model_id)) AS largest_model,
    max(training_compute_flop) AS training_compute_flop
  FROM models WHERE is_notable AND training_compute_flop IS NOT NULL AND publication_date IS NOT NULL GROUP BY 1
), first AS (
  SELECT year, arg_max(organization, (share_of_compute, organization)) AS leader, max(share_of_compute) AS leader_share
  FROM organization_shares WHERE share_of_compute IS NOT NULL GROUP BY 1
)
SELECT year, largest_model, training_compute_flop, leader, leader_share FROM largest JOIN first USING (year) ORDER BY year
