-- For each year the notable model with the most training compute, and the owner (an organisation, or the one that it belongs to) with the largest share of the compute of all notable models.
-- year: Year of publication
-- largest_model: Notable model with the most training FLOP of the year
-- leader: Owner with the largest share of the training FLOP of the year's notable models
-- leader_share: That share
WITH largest AS (
  SELECT year(publication_date) AS year, arg_max(name, (training_compute_flop, model_id)) AS largest_model,
    max(training_compute_flop) AS training_compute_flop
  FROM models WHERE is_notable AND training_compute_flop IS NOT NULL AND publication_date IS NOT NULL GROUP BY 1
), owned AS (
  SELECT year, owner, sum(share_of_compute) AS share FROM organization_shares
  WHERE share_of_compute IS NOT NULL GROUP BY year, owner
), first AS (
  SELECT year, arg_max(owner, (share, owner)) AS leader, max(share) AS leader_share FROM owned GROUP BY year
)
SELECT year, largest_model, training_compute_flop, leader, leader_share FROM largest JOIN first USING (year) ORDER BY year
