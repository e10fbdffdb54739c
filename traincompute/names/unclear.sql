-- For each of $names that known.sql leaves open: the model that it stands for, how surely, and what else it could mean.
-- A name goes through the steps below; the first at which it stands for one model decides. What it only resembles is
-- listed and never chosen.
WITH asked AS (
  SELECT unnest($names::VARCHAR[]) AS text, generate_subscripts($names::VARCHAR[], 1) AS place
), whole AS (
  SELECT place, name_words(text) AS words FROM asked
  UNION SELECT place, name_words(split_part(text, '/', -1)) FROM asked WHERE regexp_matches(text, '^[\w.-]+/[\w.-]+$')
), forms AS (  -- step 1: as it is. 2: 3-5 read as 3.5, and without the account of a hub
  SELECT place, 1 AS step, words FROM whole
  UNION SELECT place, 2, regexp_replace(words, '\b([0-9]) ([0-9])( |$)', '\1.\2\3', 'g') FROM whole
), shipped AS (  -- 4: without words for how the same weights are shipped: version, context, experts, letters, number format
  SELECT place, trim(regexp_replace(words, ' (0\.[1-9]|00[1-9]|[0-9]+e|cased|uncased|bnb|nf4|int[48]|[2-8]bit|fp16|bf16|fp8|'
    'awq|gptq|gguf|mlx|onnx|exl2' || if(is_cut, '', '|[0-9]+k') || ')\b', '', 'g')) AS words  -- another's longer context is another model
  FROM (SELECT *, contains(text, '/') AND NOT starts_with(name_words(text), words) AS is_cut FROM forms JOIN asked USING (place))
), formless AS (  -- 4: and without words for a form of the same model
  SELECT place, trim(regexp_replace(words, ' (instruct|chat|base( 1)?|it|hf|pt|preview|experimental|exp|beta|transformer|model|llm)\b', '', 'g')) AS words
  FROM (SELECT * FROM shipped UNION SELECT place, words FROM forms)
  UNION SELECT * FROM shipped
), dateless AS (  -- 4: without a date
  SELECT place, trim(regexp_replace(words, ' ((19|20)[0-9]{2} ?[01][0-9] ?[0-3][0-9]|(0[1-9]|1[0-2]) ?[0-3][0-9]|'
    '2[3-6](0[1-9]|1[0-2])|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* 20[0-9]{2})\b', '', 'g')) AS words
  FROM (SELECT place, words FROM forms UNION SELECT place, words FROM formless) WHERE regexp_matches(words, '[0-9]{4}| [01][0-9] [0-3][0-9]')
), plain AS (
  SELECT place, min(step) AS step, words, bool_and(is_dated) AS is_dated, string_split(words, ' ') AS parts FROM (
    SELECT place, step, words, false AS is_dated FROM forms UNION ALL SELECT place, 4, words, false FROM formless
    UNION ALL SELECT place, 4, words, true FROM dateless) WHERE words <> '' GROUP BY place, words
), cuts AS (SELECT *, unnest([1, 2, 3]) AS cut, len(parts) AS size FROM plain
), less AS (  -- 3 and 5: without the developer before or behind it. 6: without a size that is the number of parameters
  SELECT place, step, is_dated, words, '' AS maker, NULL::DOUBLE AS parameters FROM plain
  UNION ALL SELECT place, step + 1, is_dated, array_to_string(parts[cut + 1:], ' '), array_to_string(parts[:cut], ''), NULL
    FROM cuts WHERE cut < size
  UNION ALL SELECT place, step + 1, is_dated, array_to_string(parts[:size - cut], ' '),
    regexp_replace(array_to_string(parts[size - cut + 1:], ''), '^(by|from)', ''), NULL FROM cuts WHERE cut < size
  UNION ALL SELECT place, 6, is_dated, trim(regexp_replace(words, '(^| )[0-9.]+[bmt]\b', '')), '',
    regexp_extract(words, '(?:^| )([0-9.]+)[bmt]\b', 1)::DOUBLE
      * map {'b': 1e9, 'm': 1e6, 't': 1e12}[regexp_extract(words, '(?:^| )[0-9.]+([bmt])\b', 1)]
    FROM plain WHERE regexp_matches(words, '(^| )[0-9]+(\.[0-9]+)?[bmt]\b')
  UNION ALL SELECT place, 7, is_dated, regexp_replace(words, ' (small|base|medium|large|big|huge|giant|xl|xxl)$', ''), '', NULL  -- 7: as a hint
    FROM plain WHERE regexp_matches(words, ' (small|base|medium|large|big|huge|giant|xl|xxl)$')
), found AS (
  SELECT k.place, k.step, k.is_dated, k.maker, a.key, a.model_id, a.kind, a.is_decisive, m.organizations
  FROM (SELECT *, words_key(words) AS key FROM less) k JOIN aliases a USING (key) JOIN models m USING (model_id)
  WHERE k.parameters IS NULL OR m.parameters BETWEEN k.parameters / 1.1 AND k.parameters * 1.1
), called AS (  -- the developers of these models, their parents, and by what other names they go
  SELECT o.organization, name_words(unnest([o.organization, o.parent] || coalesce(o.aliases, []))) AS words FROM organizations o
  WHERE o.organization IN (SELECT unnest(organizations) FROM found WHERE maker <> '')
), hits AS (
  SELECT f.place, f.step, f.model_id, f.kind, f.is_decisive AND f.step < 7 AND NOT (f.is_dated AND EXISTS (  -- no other state has a row or a date
      FROM aliases o WHERE starts_with(o.key, f.key) AND (o.key = f.key AND o.model_id <> f.model_id OR regexp_matches(
        substr(o.key, length(f.key) + 1), '^_?((19|20)[0-9]{2}|[01][0-9][0-3][0-9]$|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)20)')))
    ) AS is_decisive
  FROM found f WHERE f.maker = '' OR EXISTS (FROM called c WHERE list_contains(f.organizations, c.organization)
    AND f.maker IN (words_key(c.words), split_part(c.words, ' ', 1)))
), first_hit AS (  -- the first step with any model: if no model decides, it is ambiguous
  SELECT place, step, count(DISTINCT model_id) FILTER (is_decisive) AS deciding,
    any_value(model_id) FILTER (is_decisive) AS model_id, bool_and(kind IN ('record', 'hub')) FILTER (is_decisive) AS is_alias FROM hits
  WHERE (place, step) IN (SELECT (place, min(step)) FROM hits GROUP BY place) GROUP BY place, step
), open AS (
  SELECT DISTINCT place, words, parts FROM plain WHERE place NOT IN (SELECT place FROM first_hit WHERE deciding = 1)
), leads AS (  -- first words that could belong to a developer, without which candidates are looked for
  SELECT DISTINCT split_part(name_words(organization), ' ', 1) AS word FROM organizations
), wanted AS (
  SELECT row_number() OVER () AS number, * FROM (
    SELECT place, words, parts, false AS is_less FROM open
    UNION ALL SELECT place, array_to_string(parts[2:], ' '), parts[2:], true FROM open WHERE parts[1] IN (SELECT word FROM leads)
    UNION ALL SELECT place, array_to_string(parts[:-2], ' '), parts[:-2], true FROM open WHERE parts[-1] = 'latest')
  WHERE regexp_matches(words, '(^| )[^0-9 ]')
), posted AS (SELECT rowid AS alias, unnest(words) AS word FROM aliases WHERE kind NOT IN ('hub', 'distinct')
), sharing AS (  -- names with all of the words
  SELECT w.number, p.alias FROM (SELECT number, unnest(list_distinct(parts)) AS word FROM wanted) w JOIN posted p USING (word)
  GROUP BY w.number, p.alias HAVING count(DISTINCT word) = any_value((SELECT len(list_distinct(parts)) FROM wanted x WHERE x.number = w.number))
), family AS (
  SELECT w.place, w.words, a.model_id, w.is_less, NOT w.is_less AND a.words[1] = w.parts[1] AS is_akin,
    NOT w.is_less AND starts_with(array_to_string(a.words, ' '), w.words || ' ') AS begins,
    list_filter(a.words, lambda word: NOT list_contains(w.parts, word)) AS more
  FROM sharing s JOIN wanted w USING (number) JOIN aliases a ON a.rowid = s.alias
), judged AS (  -- same words in another order; or no more than a size, or a number where none was asked for
  SELECT place, model_id, begins, is_akin, NOT is_less AND len(more) = 0 AS is_same, is_akin AND len(list_filter(more, lambda word: NOT (
      regexp_matches(word, '^[0-9.]+(x[0-9.]+)?[bmt]$') AND NOT regexp_matches(words, '\b[0-9.]+[bmt]\b')
      OR regexp_matches(word, '^[0-9.]+$') AND NOT regexp_matches(words, '[0-9]')))) = 0 AS is_near
  FROM family
), relatives AS (
  SELECT place, count(DISTINCT model_id) FILTER (is_same) AS same, any_value(model_id) FILTER (is_same) AS same_id,
    count(DISTINCT model_id) FILTER (is_near) AS near, any_value(model_id) FILTER (is_near) AS near_id,
    count(DISTINCT model_id) FILTER (is_akin) AS akin FROM judged GROUP BY place
), candidates AS (  -- those that begin like the name, if there are any
  SELECT place, list(model_id ORDER BY is_hit DESC, begins DESC, is_notable DESC, training_compute_flop DESC NULLS LAST, model_id)
    FILTER (begins OR place NOT IN (SELECT place FROM judged WHERE begins UNION SELECT place FROM first_hit)) AS ids
  FROM (SELECT place, model_id, bool_or(is_hit) AS is_hit, bool_or(begins) AS begins FROM (
      SELECT place, model_id, true AS is_hit, true AS begins FROM hits WHERE (place, step) IN (SELECT (place, step) FROM first_hit)
      UNION ALL SELECT place, model_id, false, begins FROM judged) GROUP BY place, model_id)
  JOIN models USING (model_id) GROUP BY place
), answered AS (
  SELECT n.place, n.text, CASE WHEN f.deciding = 1 THEN f.model_id WHEN f.place IS NOT NULL THEN NULL WHEN r.same = 1 THEN r.same_id
      WHEN r.near = 1 AND r.akin = 1 THEN r.near_id END AS model_id,
    CASE WHEN f.deciding = 1 AND f.step <= 3 THEN if(f.is_alias, 'alias', 'normalised') WHEN r.same = 1 THEN 'normalised'
      ELSE 'unique part' END AS how, coalesce(c.ids, []) AS ids
  FROM asked n LEFT JOIN first_hit f USING (place) LEFT JOIN relatives r USING (place) LEFT JOIN candidates c USING (place)
)
SELECT a.text AS asked, a.model_id, m.name, if(a.model_id IS NULL, if(len(ids) = 0, 'none', 'ambiguous'), how) AS how,
  list_filter(ids, lambda id: id IS DISTINCT FROM a.model_id) AS candidates
FROM answered a LEFT JOIN models m USING (model_id) ORDER BY place
