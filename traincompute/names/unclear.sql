-- For each of $names that known.sql leaves open: the model that it stands for, how surely, and what else it could mean.
-- A name goes through the steps below; the first at which it stands for one model decides. What it only resembles is
-- listed and never chosen.
WITH asked AS (
  SELECT unnest($names::VARCHAR[]) AS text, unnest($owns::VARCHAR[]) AS own, generate_subscripts($names::VARCHAR[], 1) AS place
), forms AS (  -- the readings of resolve.py. Step 1: as it is. 2: 3-5 read as 3.5. 4: without what it says beside the name
  SELECT unnest($places::BIGINT[]) AS place, unnest($steps::BIGINT[]) AS step, unnest($words::VARCHAR[]) AS words,
    unnest($years::BIGINT[]) AS year, unnest($months::BIGINT[]) AS month
), plain AS (
  SELECT place, min(step) AS step, words, max(year) AS year, CASE WHEN count(month) = count(*) THEN max(month) END AS month,
    count(month) = count(*) AS is_dated, string_split(words, ' ') AS parts
  FROM forms WHERE words <> '' GROUP BY place, words
), dates AS (SELECT place, any_value(year) AS year, any_value(month) AS month FROM plain WHERE is_dated GROUP BY place
), less AS (  -- 3 and 5: without the developer before it. 6: without a size that is the number of parameters
  SELECT place, step, is_dated, words, '' AS maker, NULL::DOUBLE AS parameters FROM plain
  UNION ALL SELECT place, step + 1, is_dated, array_to_string(parts[cut + 1:], ' '), array_to_string(parts[:cut], ''), NULL
    FROM (SELECT *, unnest([1, 2, 3]) AS cut FROM plain) WHERE cut < len(parts)
  UNION ALL SELECT place, 6, is_dated, array_to_string(list_filter(parts, lambda word: word <> size AND NOT regexp_full_match(word, 'a[0-9.]+b')), ' '), '',
    rtrim(size, 'bmt')::DOUBLE * map {'b': 1e9, 'm': 1e6, 't': 1e12}[right(size, 1)]
    FROM (SELECT *, unnest(list_filter(parts, lambda word: regexp_full_match(word, '[0-9]+(\.[0-9]+)?[bmt]'))) AS size FROM plain)
), lines AS (  -- words that stand in the names of one developer's models and hardly elsewhere, as Nova in those of Amazon
  SELECT word, organization FROM (SELECT DISTINCT unnest(words) AS word, model_id, organization FROM aliases JOIN models USING (model_id) WHERE kind = 'name')
  WHERE regexp_full_match(word, '[a-z]{3,}') GROUP BY word, organization QUALIFY 3 * count(*) >= 2 * sum(count(*)) OVER (PARTITION BY word)
), keyed AS (  -- what a name on a hub is called there without its account, and one that begins with its developer and a line of theirs
  -- without the developer, if that is no name of another model
  SELECT key, model_id, kind, is_decisive FROM aliases
  UNION ALL SELECT own, model_id, kind, is_decisive FROM (
      SELECT model_id, 'upload' AS kind, is_decisive, words_key(name_words(split_part(alias, '/', 2))) AS own FROM aliases WHERE kind = 'hub'
      UNION ALL SELECT model_id, 'line', is_decisive, words_key(array_to_string(words[2:], ' ')) FROM aliases JOIN models USING (model_id) JOIN lines l ON l.word = words[2] AND l.organization = models.organization
        WHERE kind = 'name' AND len(words) > 2 AND list_contains(list_transform(organizations, lambda name: split_part(lower(name), ' ', 1)), words[1])) h
    LEFT JOIN (SELECT key AS own, min(model_id) AS least, max(model_id) AS most FROM aliases GROUP BY key) USING (own)
    WHERE least IS NULL OR least = model_id AND most = model_id
), found AS (
  SELECT k.place, k.step, k.is_dated, k.words, k.maker, a.key, a.model_id, a.kind, a.is_decisive, m.organizations, m.parameters, m.publication_date, k.year, k.month
  FROM (SELECT *, words_key(words) AS key FROM less LEFT JOIN dates USING (place)) k JOIN keyed a USING (key) JOIN models m USING (model_id)
  WHERE k.parameters IS NULL OR m.parameters BETWEEN k.parameters / 1.1 AND k.parameters * 1.1
    OR m.parameters_active BETWEEN k.parameters / 1.1 AND k.parameters * 1.1
  UNION ALL  -- 4: the same words in another order
  SELECT k.place, 4, k.is_dated, k.words, '', a.key, a.model_id, a.kind, a.is_decisive, [], m.parameters, NULL, NULL, NULL
  FROM less k JOIN aliases a ON k.step = 4 AND NOT k.is_dated AND k.maker = '' AND list_sort(string_split(k.words, ' ')) = list_sort(a.words) JOIN models m USING (model_id)
), called AS (  -- the developers of these models, their parents, and by what other names they go
  SELECT o.organization, name_words(unnest([o.organization, o.parent] || coalesce(o.aliases, []))) AS words FROM organizations o
  WHERE o.organization IN (SELECT unnest(organizations) FROM found WHERE maker <> '')
), monthly AS (  -- 4: of the states of a model the one of the month in the name; nothing but a number or a date behind it
  SELECT DISTINCT p.place, p.words, a.model_id, a.kind
  FROM (SELECT l.*, p.year, p.month, string_split(l.words, ' ') AS parts FROM less l JOIN dates p USING (place) WHERE l.is_dated AND l.maker = '') p
  JOIN aliases a ON list_has_all(a.words, p.parts) AND list_has_all(p.parts, a.words[:list_position(a.words, p.parts[-1])]) JOIN models m USING (model_id)
  WHERE regexp_matches(p.words, '[a-z]') AND (a.is_decisive OR a.kind = 'name') AND a.kind IN ('name', 'record', 'short') AND month(m.publication_date) = p.month
    AND (p.year IS NULL OR year(m.publication_date) = p.year) AND len(list_filter(a.words, lambda word: NOT list_contains(p.parts, word)
      AND NOT regexp_full_match(word, '[0-9]+|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*'))) = 0
), hits AS (
  SELECT place, 4 AS step, words, model_id, kind, true AS is_decisive FROM monthly
  UNION ALL
  SELECT f.place, f.step, f.words, f.model_id, f.kind, f.is_decisive
    AND NOT (f.parameters < 1.6e9 AND list_contains(string_split(name_words(n.text), ' '), 'base')  -- a size, and no form
      AND NOT list_contains(string_split(f.words, ' '), 'base') AND NOT regexp_matches(n.text, '(?i)[0-9][bm]\b'))
    AND NOT (f.is_dated AND abs((f.month - month(f.publication_date) + 18) % 12 - 6) > 1)  -- the state of another month
    AND NOT (f.is_dated AND EXISTS (  -- no other state has a row or a date
      FROM aliases o WHERE starts_with(o.key, f.key) AND (o.key = f.key AND o.model_id <> f.model_id OR regexp_matches(
        substr(o.key, length(f.key) + 1), '^_?((19|20)[0-9]{2}|[01][0-9][0-3][0-9]$|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)20)')))
    ) AS is_decisive
  FROM found f JOIN asked n USING (place) WHERE f.maker = '' OR EXISTS (FROM called c WHERE list_contains(f.organizations, c.organization)
    AND f.maker IN (words_key(c.words), split_part(c.words, ' ', 1), array_to_string(string_split(c.words, ' ')[:2], ''), regexp_replace(words_key(c.words), '(ai|ml)$', ''))
    AND f.maker <> 'open')  -- Open-Sora is not OpenAI's Sora
), first_hit AS (  -- the first step with any model, there what most of the name stands for: if no model decides, it is ambiguous
  SELECT place, step, count(DISTINCT model_id) FILTER (is_decisive) AS deciding, arg_max(words, len(words)) FILTER (is_decisive) AS words,
    any_value(model_id) FILTER (is_decisive) AS model_id, bool_and(kind IN ('record', 'hub')) FILTER (is_decisive) AS is_alias
  FROM (FROM hits QUALIFY rank() OVER (PARTITION BY place ORDER BY step, if(step = 4, -len(string_split(words, ' ')), 0)) = 1) GROUP BY place, step
), wanted AS (
  SELECT row_number() OVER () AS number, * FROM (SELECT DISTINCT place, words, parts FROM plain)
  WHERE place NOT IN (SELECT place FROM first_hit WHERE deciding = 1) AND regexp_matches(words, '(^| )[^0-9 ]')
), posted AS (SELECT rowid AS alias, unnest(words) AS word FROM aliases WHERE kind NOT IN ('hub', 'distinct')
), sharing AS (  -- names with all of the words
  SELECT number, alias FROM (SELECT number, unnest(list_distinct(parts)) AS word, len(list_distinct(parts)) AS asked FROM wanted) JOIN posted USING (word)
  GROUP BY number, alias, asked HAVING count(DISTINCT word) = asked
), judged AS (  -- near is what has no more than a size, where none was asked for
  SELECT w.place, w.words, a.model_id, a.words[1] = w.parts[1] AS is_akin,
    starts_with(array_to_string(a.words, ' '), w.words || ' ') AS begins, list_filter(a.words, lambda word: NOT list_contains(w.parts, word)) AS more,
    is_akin AND (len(more) = 0 OR NOT regexp_matches(w.words, '\b[0-9.]+[bmt]\b')
      AND len(list_filter(more, lambda word: NOT regexp_matches(word, '^[0-9.]+(x[0-9.]+)?[bmt]$'))) = 0) AS is_near
  FROM sharing s JOIN wanted w USING (number) JOIN aliases a ON a.rowid = s.alias AND len(a.words) >= len(w.parts)
), relatives AS (
  SELECT place, count(DISTINCT model_id) FILTER (is_near) AS near, any_value(model_id) FILTER (is_near) AS near_id,
    count(DISTINCT model_id) FILTER (is_akin) AS akin, arg_max(words, len(words)) FILTER (is_near) AS words FROM judged GROUP BY place
), candidates AS (  -- those that begin like the name, if there are any
  SELECT place, list(model_id ORDER BY is_hit DESC, begins DESC, is_notable DESC, training_compute_flop DESC NULLS LAST, model_id)
    FILTER (begins OR place NOT IN (SELECT place FROM judged WHERE begins UNION SELECT place FROM first_hit)) AS ids
  FROM (SELECT place, model_id, bool_or(is_hit) AS is_hit, bool_or(begins) AS begins FROM (
      SELECT place, model_id, true AS is_hit, true AS begins FROM hits WHERE (place, step) IN (SELECT (place, step) FROM first_hit)
      UNION ALL SELECT place, model_id, false, begins FROM judged) GROUP BY place, model_id)
  JOIN models USING (model_id) GROUP BY place
), answered AS (
  SELECT n.*, CASE WHEN f.deciding = 1 THEN f.model_id WHEN f.step > 0 THEN NULL
      WHEN r.near = 1 AND r.akin = 1 THEN r.near_id END AS model_id,
    CASE WHEN f.deciding = 1 AND f.step <= 3 THEN if(f.is_alias, 'alias', 'normalised')
      ELSE 'unique part' END AS how, coalesce(c.ids, []) AS ids, if(f.deciding = 1, f.words, r.words) AS words
  FROM asked n LEFT JOIN first_hit f USING (place) LEFT JOIN relatives r USING (place) LEFT JOIN candidates c USING (place)
), sized AS (  -- of names that stand for no model, the model whose name stands in them with its size: their base, as Llama 3.1-405B in Hermes-3-Llama-3.1-405B
  SELECT DISTINCT model_id, sizes[1] AS size, array_to_string(list_filter(words, lambda word: word <> sizes[1]), ' ') AS stem
  FROM (SELECT *, list_filter(words, lambda word: regexp_full_match(word, '[0-9.]+(x[0-9.]+)?[bmt]')) AS sizes
    FROM aliases WHERE is_decisive AND kind IN ('name', 'record', 'short')) WHERE len(sizes) = 1
), held AS (  -- the size may stand within the name: Qwen3-Next-80B-A3B; a reading that begins otherwise than the name behind an account has the account
  SELECT f.place, s.model_id AS base_model_id,
    words_key(trim(replace(' ' || f.words || ' ', ' ' || s.stem || ' ', ' '))) AS rest
  FROM (SELECT DISTINCT place, f.words, unnest(string_split(f.words, ' ')) AS size FROM forms f JOIN answered a USING (place)
    WHERE ids = [] AND split_part(own, ' ', 1) IN ('', split_part(f.words, ' ', 1))) f JOIN sized s USING (size)
  WHERE contains(replace(' ' || f.words || ' ', ' ' || s.size || ' ', ' '), ' ' || s.stem || ' ') AND length(s.stem) >= 2 AND f.words <> s.stem || ' ' || s.size
    AND NOT regexp_matches(split_part(' ' || f.words || ' ', ' ' || s.stem || ' ', 2), '^[0-9]+([.p][0-9]+)? ')  -- olmo 3 7b is no olmo 7b
  QUALIFY rank() OVER (PARTITION BY place ORDER BY length(replace(s.stem, ' ', '')) DESC) = 1
), made AS (  -- what the rest of the name stands for, if it is one model made from the base
  SELECT l.place, any_value(m.model_id) AS made_id FROM held l
  JOIN aliases a ON a.key = l.rest AND a.is_decisive JOIN models m ON m.model_id = a.model_id
  WHERE m.base_model_id = l.base_model_id GROUP BY l.place HAVING count(DISTINCT m.model_id) = 1
), based AS (
  SELECT place, any_value(base_model_id) AS base_id, any_value(made_id) AS made_id
  FROM held LEFT JOIN made USING (place) GROUP BY place HAVING count(DISTINCT base_model_id) = 1
)
SELECT a.text AS asked, m.model_id, m.name, CASE WHEN m.model_id IS NOT NULL THEN how WHEN base_id IS NOT NULL THEN 'base' WHEN len(ids) < 2 THEN 'none' ELSE 'ambiguous' END AS how,
  list_filter(ids, lambda id: id IS DISTINCT FROM a.model_id) AS candidates, base_id AS base_model_id, a.words AS read_as,
  (SELECT list({is_own: kind <> 'record', words: n.words}) FROM aliases n WHERE n.model_id = a.model_id AND kind IN ('name', 'id', 'hub', 'record')) AS names
FROM answered a LEFT JOIN based USING (place) LEFT JOIN models m ON m.model_id = coalesce(a.model_id, made_id) ORDER BY place
