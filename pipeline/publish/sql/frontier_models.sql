-- Frontier models by both definitions: among the ten largest notable models by training compute on the day of publication, or flagged by Epoch AI.
-- is_top5: whether it was among the five largest
-- is_top10: whether it was among the ten largest
SELECT model_id, name, organization, publication_date, training_compute_flop, frontier_rank,
  coalesce(frontier_rank <= 5, false) AS is_top5, coalesce(frontier_rank <= 10, false) AS is_top10, is_frontier_upstream
FROM models
WHERE frontier_rank <= 10 OR is_frontier_upstream
ORDER BY publication_date, model_id
