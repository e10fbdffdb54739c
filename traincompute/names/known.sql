-- The names among $names that need no thought: the very text of one model's name or id, or one that stands for one model
-- once it is folded, as it is in $keys at the same place. One row per such name.
WITH asked AS (SELECT unnest($names::VARCHAR[]) AS name, unnest($keys::VARCHAR[]) AS key
), near AS MATERIALIZED (
  SELECT * FROM aliases
  WHERE is_decisive AND key IN (SELECT unnest($keys::VARCHAR[])) OR kind IN ('name', 'id') AND alias IN (SELECT unnest($names::VARCHAR[]))
), hits AS (
  SELECT name, model_id AS folded, array_position(['name', 'id', 'record', 'hub', 'short'], kind) AS rank, NULL AS written
  FROM asked JOIN near USING (key) WHERE is_decisive
  UNION ALL SELECT name, NULL, NULL, model_id FROM asked JOIN near ON alias = name WHERE kind IN ('name', 'id')
), decided AS (
  SELECT name, any_value(folded) AS folded, min(rank) AS rank, if(min(written) = max(written), min(written), NULL) AS written
  FROM hits GROUP BY name
)
SELECT d.name AS asked, model_id, m.name,
  CASE WHEN written = model_id THEN 'exact' WHEN rank IN (3, 4) THEN 'alias' ELSE 'normalised' END AS how,
  []::VARCHAR[] AS candidates
FROM decided d JOIN models m ON model_id = coalesce(folded, written)
