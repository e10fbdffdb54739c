-- Notable models with training compute, and whether it rests on texts that were read for this dataset (by a person, or from the developers' own text as a source).
-- rests_on: stated = the figure was read; counted = each number (within a factor of 1.25) of a calculation that comes within a factor of 1.5 of it was read, and of a base model's total the same holds; base = one of these holds for a base model, or for a base of that, and it is at most half as much again; null = none of them
-- formula: That calculation
WITH RECURSIVE read_facts AS (
  SELECT DISTINCT model_id, field, value FROM claims
  WHERE status IN ('selected', 'superseded') AND evidence IN ('seen', 'secondary')
    AND (source_id <> 'curated' OR reference IS NOT NULL AND locator IS NOT NULL)
), cited AS (
  FROM read_facts
  UNION SELECT chips.model_id, 'chip_hours', chips.value * hours.value
  FROM read_facts chips JOIN read_facts hours USING (model_id)
  WHERE chips.field = 'hardware_quantity' AND hours.field = 'training_hours'
), valued AS (
  SELECT model_id, training_compute_flop AS flop FROM models WHERE training_compute_flop IS NOT NULL
), stated AS (
  SELECT DISTINCT model_id FROM valued JOIN read_facts USING (model_id)
  WHERE field = 'training_compute_flop' AND value BETWEEN flop / 1.25 AND flop * 1.25
), parts AS (
  SELECT estimate_id, model_id, method, formula, unnest(inputs) AS claim_id FROM estimates JOIN valued USING (model_id)
  WHERE field = 'training_compute_flop' AND method <> 'statistical' AND value BETWEEN flop / 1.5 AND flop * 1.5
), numbers AS (
  SELECT p.* EXCLUDE (claim_id), d.model_id IS NOT NULL OR c.value IS NULL AS is_read,
    CASE WHEN c.model_id <> p.model_id AND c.field = 'training_compute_flop' THEN c.model_id END AS base
  FROM parts p LEFT JOIN claims c USING (claim_id)
  LEFT JOIN cited d ON d.model_id = c.model_id AND d.field = c.field AND d.value BETWEEN c.value / 1.25 AND c.value * 1.25
), alone AS (
  SELECT model_id FROM stated
  UNION SELECT model_id FROM numbers GROUP BY model_id, estimate_id HAVING bool_and(is_read)
), calculations AS (
  SELECT n.model_id, n.method, n.formula FROM numbers n LEFT JOIN alone b ON b.model_id = n.base
  GROUP BY n.model_id, n.estimate_id, n.method, n.formula HAVING bool_and(n.is_read OR b.model_id IS NOT NULL)
), counted AS (
  SELECT model_id, min_by(formula, method) AS formula FROM calculations GROUP BY model_id
), ancestors AS (
  SELECT model_id, base_model_id AS base FROM models WHERE base_model_id IS NOT NULL
  UNION SELECT a.model_id, m.base_model_id FROM ancestors a JOIN models m ON m.model_id = a.base WHERE m.base_model_id IS NOT NULL
), continued AS (
  SELECT m.model_id FROM ancestors m JOIN valued v USING (model_id) JOIN valued b ON b.model_id = m.base
  WHERE v.flop BETWEEN b.flop AND b.flop * 1.5
    AND b.model_id IN (FROM alone UNION SELECT model_id FROM counted)
)
SELECT model_id, name, publication_date, training_compute_flop, training_compute_source,
  CASE WHEN model_id IN (FROM stated) THEN 'stated'
    WHEN counted.model_id IS NOT NULL THEN 'counted'
    WHEN model_id IN (FROM continued) THEN 'base' END AS rests_on, counted.formula
FROM models LEFT JOIN counted USING (model_id)
WHERE is_notable AND training_compute_flop IS NOT NULL
ORDER BY training_compute_flop DESC, model_id
