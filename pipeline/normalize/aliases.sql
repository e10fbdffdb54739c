-- Every way of writing the name of a model, and which model a name stands for once it is folded (name_key).
-- Reads: named (source_id, publisher, record, model_id, since, until), models (model_id, name, is_notable, huggingface_id)
-- and others (source_id, alias, model_id): names of models that are not the one named beside them.
-- In three steps, each of which lets go of the memory of the one before.
CREATE TABLE keyed AS WITH written AS (
  SELECT split_part(record, ' @ ', 1) AS alias, model_id, 3 AS rank, source_id, publisher, since, until FROM named
  UNION ALL SELECT name, model_id, 1, NULL, NULL, NULL, NULL FROM models
  UNION ALL SELECT model_id, model_id, 2, NULL, NULL, NULL, NULL FROM models
  UNION ALL SELECT huggingface_id, model_id, 4, NULL, NULL, NULL, NULL FROM models WHERE huggingface_id IS NOT NULL
  UNION ALL SELECT trim(regexp_replace(name, ' *\([^()]*\)', '', 'g')), model_id, 5, NULL, NULL, NULL, NULL
    FROM models WHERE name LIKE '_%(%)%' AND trim(regexp_replace(name, ' *\([^()]*\)', '', 'g')) <> ''
  UNION ALL SELECT short, model_id, 5, NULL, NULL, NULL, NULL FROM (  -- Stable Diffusion XL (SDXL): initials of the words before
    SELECT model_id, regexp_extract(name, '\(([A-Z0-9]{3,})\)', 1) AS short,
      regexp_extract(name, '^(\w)\w*[ -](\w)', ['one', 'two']) AS initials FROM models
  ) WHERE short <> '' AND starts_with(short, upper(initials.one || initials.two))
  UNION ALL SELECT regexp_replace(name, '^([A-Z])[a-z]+ ([A-Z])[a-z]+ Model\b', '\1\2M'), model_id, 5, NULL, NULL, NULL, NULL  -- Segment Anything Model: SAM
    FROM models WHERE regexp_full_match(name, '[A-Z][a-z]+ [A-Z][a-z]+ Model( [0-9.]+)?')
  UNION ALL SELECT alias, o.model_id, 6, source_id, NULL, NULL, NULL FROM others o SEMI JOIN models USING (model_id)
), spelled AS (
  SELECT alias, text, words_key(text) AS key, split_part(text, ' ', 1) AS first FROM (SELECT alias, name_words(alias) AS text FROM (SELECT DISTINCT alias FROM written))
)
SELECT w.*, s.text, s.key, s.first FROM written w JOIN spelled s USING (alias) WHERE s.key <> '';

CREATE TABLE decided AS WITH own AS (  -- the model that has the key as its name or id, if it is one
  SELECT key, any_value(model_id) AS model_id FROM keyed WHERE rank <= 2 GROUP BY key HAVING count(DISTINCT model_id) = 1
), contested AS (  -- two publishers use it for other models
  SELECT o.key FROM own o JOIN keyed k ON k.key = o.key AND k.model_id <> o.model_id AND k.rank = 3 AND k.until IS NULL
  GROUP BY o.key HAVING count(DISTINCT k.publisher) >= 2
), called AS (  -- nobody's own name; all sources that use it mean the same model
  SELECT key, any_value(model_id) AS model_id, any_value(text) AS text, any_value(first) AS first FROM keyed
  WHERE rank = 3 AND key NOT IN (SELECT key FROM keyed WHERE rank <= 2) GROUP BY key HAVING count(DISTINCT model_id) = 1
), families AS (  -- but it may be that of a family: two models have it with a size or a number behind it
  SELECT c.key FROM called c JOIN keyed k ON k.rank = 1 AND k.first = c.first AND starts_with(k.text, c.text || ' ')
  WHERE regexp_matches(substr(k.text, length(c.text) + 2), '^[0-9]')
  GROUP BY c.key HAVING count(DISTINCT k.model_id) >= 2
), shortened AS (  -- a name without its brackets: nobody's own, nor the beginning of another model's name
  SELECT key, any_value(model_id) AS model_id FROM keyed k
  WHERE rank = 5 AND key NOT IN (SELECT key FROM keyed WHERE rank <= 3)
    AND NOT EXISTS (FROM keyed o WHERE o.rank = 1 AND o.first = k.first AND o.model_id <> k.model_id AND starts_with(o.text, k.text || ' '))
  GROUP BY key HAVING count(DISTINCT model_id) = 1
), unsized AS (  -- if brackets hold sizes, as in PaLM (540B): that of the only model, or of the only notable one
  SELECT k.key, CASE WHEN count(DISTINCT k.model_id) = 1 THEN any_value(k.model_id)
      WHEN count(DISTINCT k.model_id) FILTER (m.is_notable) = 1 THEN any_value(k.model_id) FILTER (m.is_notable) END AS model_id
  FROM keyed k JOIN models m USING (model_id)
  WHERE k.rank = 5 AND k.key NOT IN (SELECT key FROM keyed WHERE rank <= 3) AND k.key NOT IN (SELECT key FROM shortened)
  GROUP BY k.key HAVING bool_and(regexp_matches(m.name, '(?i)\((?:[^()]*[ -])?[0-9.]+(?:x[0-9.]+)? ?[bmt]\)'))
), hubs AS (
  SELECT key, any_value(model_id) AS model_id FROM keyed
  WHERE rank = 4 AND key NOT IN (SELECT key FROM keyed WHERE rank <> 4) GROUP BY key HAVING count(DISTINCT model_id) = 1
)
SELECT key, model_id FROM own WHERE key NOT IN (SELECT key FROM contested)
UNION ALL SELECT key, model_id FROM called WHERE key NOT IN (SELECT key FROM families)
UNION ALL SELECT key, model_id FROM shortened
UNION ALL SELECT key, model_id FROM unsized WHERE model_id IS NOT NULL
UNION ALL SELECT key, model_id FROM hubs;

SELECT k.alias, k.model_id, ['name', 'id', 'record', 'hub', 'short', 'distinct'][min(k.rank)] AS kind,
  string_agg(DISTINCT k.source_id, ';' ORDER BY k.source_id) AS source_ids,
  min(k.since) AS since,
  CASE WHEN count(k.since) = count(k.until) THEN max(k.until) END AS until,
  any_value(k.key) AS key, replace(any_value(k.text), ' ', ';') AS words,
  count(d.key) > 0 AND min(k.rank) < 6 AS is_decisive
FROM keyed k LEFT JOIN decided d ON d.key = k.key AND d.model_id = k.model_id
GROUP BY k.alias, k.model_id ORDER BY k.alias, k.model_id
