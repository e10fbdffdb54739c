-- For each year the model with the most training FLOP per dollar of 2023 (amortised hardware and energy), and the median of all; of the models whose chip-hours a source states and whose compute was not worked out from them.
-- year: Year of publication
-- models: Models with compute and cost
-- cheapest_model: Model with the most FLOP per dollar
-- hardware: Chips that it was trained on
-- flop_per_usd: Its training FLOP per dollar of 2023
-- median_flop_per_usd: Median over the models of the year
SELECT year(publication_date) AS year, count(*) AS models, arg_max(name, (flop_per_usd, model_id)) AS cheapest_model,
  arg_max(hardware, (flop_per_usd, model_id)) AS hardware, max(flop_per_usd) AS flop_per_usd,
  median(flop_per_usd) AS median_flop_per_usd
FROM models WHERE flop_per_usd IS NOT NULL AND publication_date IS NOT NULL
  AND training_compute_method IS DISTINCT FROM ['hardware'] -- compute from chip-hours at an assumed utilisation
GROUP BY 1 ORDER BY 1
