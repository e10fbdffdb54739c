-- For each year the notable model with the most training compute, the owner (an organisation, or the one that it belongs to) with the largest share of the compute of all notable models, and how concentrated models and compute are on owners: Herfindahl index, the sum of squared shares (1 = one has all; 1 ÷ n = n equal ones).
-- year: Year of publication
-- largest_model: Notable model with the most training FLOP of the year
-- leader: Owner with the largest share of the training FLOP of the year's notable models
-- leader_share: That share
-- owners: Owners with a notable model of the year
-- herfindahl_models: Herfindahl index of the shares of models
-- herfindahl_compute: Herfindahl index of the shares of training FLOP
WITH largest AS (
  SELECT year(publication_date) AS year, arg_max(name, (training_compute_flop, model_id)) AS largest_model,
    max(training_compute_flop) AS training_compute_flop
  FROM models WHERE is_notable AND training_compute_flop IS NOT NULL AND publication_date IS NOT NULL GROUP BY 1
), owned AS (
  SELECT year, owner, sum(share_of_models) AS models, sum(share_of_compute) AS share FROM organization_shares GROUP BY ALL
)
SELECT year, largest_model, training_compute_flop, arg_max(owner, (share, owner)) FILTER (share IS NOT NULL) AS leader,
  max(share) AS leader_share, count(*) AS owners, sum(models ^ 2) AS herfindahl_models, sum(share ^ 2) AS herfindahl_compute
FROM owned LEFT JOIN largest USING (year) GROUP BY year, largest_model, training_compute_flop ORDER BY year
