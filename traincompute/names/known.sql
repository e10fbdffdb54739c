-- $names as words, those behind the account of a hub as `own`, and the model of each name that needs no thought: the very
-- text of one model's name or id, or one that stands for one model once it is folded.
WITH asked AS MATERIALIZED (
  SELECT *, words_key(words) AS key FROM (SELECT name, name_words(name) AS words,
    if(regexp_full_match(name, '[\w.-]+/[\w.-]+'), name_words(split_part(name, '/', 2)), '') AS own FROM (SELECT unnest($names::VARCHAR[]) AS name))
), near AS MATERIALIZED (
  SELECT * FROM aliases
  WHERE is_decisive AND key IN (SELECT key FROM asked) OR kind IN ('name', 'id') AND alias IN (SELECT name FROM asked)
), hits AS (
  SELECT name, model_id AS folded, array_position(['name', 'id', 'record', 'hub', 'short'], kind) AS rank, NULL AS written
  FROM asked JOIN near USING (key) WHERE is_decisive
  UNION ALL SELECT name, NULL, NULL, model_id FROM asked JOIN near ON alias = name WHERE kind IN ('name', 'id')
), decided AS (
  SELECT name, any_value(folded) AS folded, min(rank) AS rank, if(min(written) = max(written), min(written), NULL) AS written
  FROM hits GROUP BY name
)
SELECT a.name AS asked, model_id, m.name, if(written = model_id, 'exact', if(rank IN (3, 4), 'alias', 'normalised')) AS how, words, own
FROM asked a LEFT JOIN decided d USING (name) LEFT JOIN models m ON model_id = coalesce(folded, written)
