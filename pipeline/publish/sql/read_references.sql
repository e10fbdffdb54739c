-- Notable models with training compute, and whether it rests on texts that were read for this dataset (by a person, or from the developers' own text as a source): the figure itself, or every number of a calculation that comes within a factor of 1.5 of it; of a base model's total the same is asked.
-- rests_on: stated = the figure was read; counted = each number of the calculation was read; null = neither
-- formula: That calculation
WITH cited AS (
  SELECT DISTINCT model_id, field FROM claims
  WHERE status IN ('selected', 'superseded') AND evidence IN ('seen', 'secondary')
    AND (source_id <> 'curated' OR reference IS NOT NULL AND locator IS NOT NULL)
), stated AS (
  SELECT DISTINCT model_id FROM models JOIN claims USING (model_id)
  WHERE field = 'training_compute_flop' AND status IN ('selected', 'superseded') AND evidence IN ('seen', 'secondary')
    AND (source_id <> 'curated' OR reference IS NOT NULL AND locator IS NOT NULL)
    AND value BETWEEN training_compute_flop / 1.25 AND training_compute_flop * 1.25
), parts AS (
  SELECT estimate_id, model_id, method, formula, unnest(inputs) AS claim_id FROM estimates JOIN models USING (model_id)
  WHERE field = 'training_compute_flop' AND method <> 'statistical'
    AND value BETWEEN training_compute_flop / 1.5 AND training_compute_flop * 1.5
), numbers AS (
  SELECT p.* EXCLUDE (claim_id), d.model_id IS NOT NULL OR c.value IS NULL AS is_read,
    CASE WHEN c.model_id <> p.model_id AND c.field = 'training_compute_flop' THEN c.model_id END AS base
  FROM parts p LEFT JOIN claims c USING (claim_id) LEFT JOIN cited d ON d.model_id = c.model_id AND d.field = c.field
), bases AS (
  SELECT model_id FROM stated
  UNION SELECT model_id FROM numbers GROUP BY model_id, estimate_id HAVING bool_and(is_read)
), calculations AS (
  SELECT n.model_id, n.method, n.formula FROM numbers n LEFT JOIN bases b ON b.model_id = n.base
  GROUP BY n.model_id, n.estimate_id, n.method, n.formula HAVING bool_and(n.is_read OR b.model_id IS NOT NULL)
), counted AS (
  SELECT model_id, min_by(formula, method) AS formula FROM calculations GROUP BY model_id
)
SELECT model_id, name, publication_date, training_compute_flop, training_compute_source,
  CASE WHEN model_id IN (SELECT model_id FROM stated) THEN 'stated'
    WHEN counted.model_id IS NOT NULL THEN 'counted' END AS rests_on, counted.formula
FROM models LEFT JOIN counted USING (model_id)
WHERE is_notable AND training_compute_flop IS NOT NULL
ORDER BY training_compute_flop DESC, model_id
