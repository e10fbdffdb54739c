-- The names among $names that need no thought: the very text of one model's name or id, or one that stands for one model
-- once it is folded. One row per name, in order; model_id is null for the others.
WITH asked AS (
  SELECT unnest($names::VARCHAR[]) AS name, generate_subscripts($names::VARCHAR[], 1) AS place
), folded AS (
  SELECT k.place, a.model_id, a.kind FROM (SELECT place, words_key(name_words(name)) AS key FROM asked) k
  LEFT JOIN aliases a ON a.key = k.key AND a.is_decisive
), decided AS (
  SELECT place, any_value(model_id) AS model_id, min(array_position(['name', 'id', 'record', 'hub', 'short'], kind)) AS rank
  FROM folded GROUP BY place
), written AS (
  SELECT n.place, any_value(a.model_id) AS model_id FROM asked n JOIN aliases a ON a.alias = n.name AND a.kind IN ('name', 'id')
  GROUP BY n.place HAVING count(DISTINCT a.model_id) = 1
)
SELECT n.name AS asked, m.model_id, m.name,
  CASE WHEN w.model_id = m.model_id THEN 'exact' WHEN d.rank IN (3, 4) THEN 'alias' ELSE 'normalised' END AS how, []::VARCHAR[] AS candidates
FROM asked n LEFT JOIN decided d USING (place) LEFT JOIN written w USING (place)
LEFT JOIN models m ON m.model_id = coalesce(d.model_id, w.model_id) ORDER BY place
