-- Tokens per parameter of the language models of a year, and how far from compute-optimal they were trained (1 = 20 tokens per active parameter, Hoffmann et al. 2022).
-- year: Year of publication
-- models: Language models with tokens and parameters
-- median_tokens_per_parameter: Median of the tokens per active parameter
-- median_over_optimal: Median of the tokens over 20 per parameter
-- median_over_optimal_3: Median of the tokens over those of approach 3 (fit of the loss)
-- share_beyond_optimal: Share of models with more than 20 tokens per parameter
SELECT year(publication_date) AS year, count(*) AS models, median(tokens_per_parameter) AS median_tokens_per_parameter,
  median(tokens_over_optimal) AS median_over_optimal, median(tokens_over_optimal_3) AS median_over_optimal_3,
  avg((tokens_over_optimal > 1)::INT) AS share_beyond_optimal
FROM models WHERE tokens_per_parameter IS NOT NULL AND publication_date IS NOT NULL
GROUP BY 1 ORDER BY 1
