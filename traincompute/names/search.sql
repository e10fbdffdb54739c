-- Models that $text may be about, the likeliest first: score, model_id, name, organization, publication_date, training_compute_flop,
-- found_in (where the text stands) and $limit rows at most. 100: its name; 80: the beginning of a name, or an identifier;
-- 60: all words in one of its names; 40: in names and developers together; 30: in the id of a hub; 20: in a reference;
-- 10: a name that is spelled alike.
WITH asked AS (
  SELECT name_words($text) AS words, regexp_replace(lower(trim($text)), '^(https?://)?(www\.)?(arxiv\.org/(abs|pdf)/|doi\.org/|arxiv: ?|doi: ?)', '') AS link
), parts AS (SELECT DISTINCT unnest(string_split(words, ' ')) AS word FROM asked WHERE words <> ''
), named AS (
  SELECT model_id, arg_min(alias, (-score, alias)) AS alias, max(score) AS score FROM (
    SELECT model_id, alias, CASE WHEN n.key = a.key THEN if(is_decisive, 100, 90)
        WHEN kind = 'hub' AND list_has_all(n.words, string_split(a.words, ' ')) THEN 30 WHEN starts_with(n.key, a.key) THEN 80
        WHEN list_has_all(n.words, string_split(a.words, ' ')) THEN 60 ELSE 10 END AS score
    FROM aliases n, (SELECT words, words_key(words) AS key FROM asked) a WHERE a.words <> '' AND kind <> 'distinct' AND (starts_with(n.key, a.key)
      OR list_has_all(n.words, string_split(a.words, ' ')) OR jaro_winkler_similarity(n.key, a.key) > 0.92)) GROUP BY model_id
), makers AS (  -- developers with one of the words in their name, in that of a parent, or in another name of theirs
  SELECT o.organization, p.word FROM (
    SELECT organization, string_split(name_words(concat_ws(' ', organization, parent, array_to_string(aliases, ' '))), ' ') AS words
    FROM organizations
  ) o JOIN parts p ON list_contains(o.words, p.word)
), together AS (  -- every word in a name of the model or of its developers
  SELECT model_id FROM (
    SELECT m.model_id, k.word FROM (SELECT model_id, unnest(organizations) AS organization FROM models) m JOIN makers k USING (organization)
    UNION SELECT model_id, word FROM aliases JOIN parts ON list_contains(words, word) WHERE kind <> 'distinct'
  ) GROUP BY model_id HAVING count(*) = (SELECT count(*) FROM parts)
), referred AS (  -- of several places the model's own link, DOI or hub, then the first reference
  SELECT model_id, arg_min(place, (rank, place)) AS place, any_value(score) AS score FROM (
    SELECT 1 AS rank, model_id, 'link ' || reference_url AS place, reference_url AS reference FROM models
    UNION ALL SELECT 2, model_id, 'doi ' || doi, doi FROM models UNION ALL SELECT 3, model_id, 'hub ' || huggingface_id, huggingface_id FROM models
    UNION ALL SELECT 4, model_id, 'reference of ' || source_id || ' ' || reference, reference FROM claims WHERE reference IS NOT NULL
    UNION ALL SELECT 5, model_id, 'link in ' || source_id || ' ' || value_text, value_text FROM claims WHERE field = 'reference_url'
  ) r, (SELECT link, if(regexp_matches(link, '^([0-9]{4}\.[0-9]{4,5}|10\.[0-9]{4,}/.+)'), 80, 20) AS score FROM asked) a
  WHERE length(a.link) >= 4 AND contains(lower(reference), a.link) GROUP BY model_id
), found AS (
  SELECT model_id, score, if(alias = m.name, 'name', 'name ' || alias) AS place FROM named JOIN models m USING (model_id)
  UNION ALL SELECT model_id, 40, 'developer ' || array_to_string(m.organizations, ', ') FROM together JOIN models m USING (model_id)
  UNION ALL SELECT model_id, score, place FROM referred
)
SELECT f.score, model_id, m.name, m.organization, m.publication_date, m.training_compute_flop, f.found_in
FROM (SELECT model_id, max(score) AS score, arg_max(place, score) AS found_in FROM found GROUP BY model_id) f JOIN models m USING (model_id)
ORDER BY f.score DESC, m.is_notable DESC, m.training_compute_flop DESC NULLS LAST, model_id LIMIT $limit
