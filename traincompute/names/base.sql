-- Of names that stand for no model ($places, $words: their readings), the model whose name stands in them with its size, as that
-- of Llama 3.1-405B in Hermes-3-Llama-3.1-405B: base_model_id; and the model that the rest of the name stands for, if it is
-- one made from that: model_id. One row per place that has a base.
WITH forms AS (SELECT unnest($places::BIGINT[]) AS place, unnest($words::VARCHAR[]) AS words
), sized AS (
  SELECT DISTINCT model_id, sizes[1] AS size, array_to_string(list_filter(words, lambda word: word <> sizes[1]), ' ') AS stem
  FROM (SELECT *, list_filter(words, lambda word: regexp_full_match(word, '[0-9.]+(x[0-9.]+)?[bmt]')) AS sizes
    FROM aliases WHERE is_decisive AND kind IN ('name', 'record', 'short')) WHERE len(sizes) = 1
), held AS (  -- the size may stand within the name: Qwen3-Next-80B-A3B
  SELECT f.place, s.model_id AS base_model_id, length(replace(s.stem, ' ', '')) AS length,
    words_key(trim(replace(' ' || f.words || ' ', ' ' || s.stem || ' ', ' '))) AS rest
  FROM (SELECT DISTINCT place, words, unnest(string_split(words, ' ')) AS size FROM forms) f JOIN sized s USING (size)
  WHERE contains(replace(' ' || f.words || ' ', ' ' || s.size || ' ', ' '), ' ' || s.stem || ' ') AND length(s.stem) >= 2 AND f.words <> s.stem || ' ' || s.size
    AND NOT regexp_matches(split_part(' ' || f.words || ' ', ' ' || s.stem || ' ', 2), '^[0-9]+([.p][0-9]+)? ')  -- olmo 3 7b is no olmo 7b
), longest AS (
  SELECT place, base_model_id, rest FROM held WHERE (place, length) IN (SELECT (place, max(length)) FROM held GROUP BY place)
), made AS (
  SELECT l.place, any_value(m.model_id) AS model_id, any_value(m.name) AS name FROM longest l
  JOIN aliases a ON a.key = l.rest AND a.is_decisive JOIN models m ON m.model_id = a.model_id
  WHERE m.base_model_id = l.base_model_id GROUP BY l.place HAVING count(DISTINCT m.model_id) = 1
)
SELECT place, any_value(base_model_id) AS base_model_id, any_value(m.model_id) AS model_id, any_value(m.name) AS name
FROM longest LEFT JOIN made m USING (place) GROUP BY place HAVING count(DISTINCT base_model_id) = 1
