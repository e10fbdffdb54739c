-- title: records without a model, of sources that only speak of models, named and sized like one
-- remedy: paste one of the two lines into data/raw/curated/identities.csv
-- Such a source names the form that it tested ("Falcon3-7B-Instruct") and the day of a version: names are compared
-- without them, sizes as numbers. What a source lists beside a model of which it speaks already is that model run in
-- another way.
WITH silent AS (
    SELECT record, source_id, min(since)::DATE AS since,
    list(try_cast(value_text AS DOUBLE)) FILTER (field = 'parameters') AS sizes
    FROM ledger WHERE only_speaks AND until IS NULL
    AND (source_id, record) NOT IN (SELECT (source_id, record) FROM claims)
    GROUP BY record, source_id),
asked AS (
    SELECT record, NULL AS model_id, [source_id] AS sources, since, sizes FROM silent WHERE NOT EXISTS (
        FROM identities d WHERE relation = 'dropped' AND alias = record
        AND coalesce(d.source_id, silent.source_id) = silent.source_id)),
compared AS (
    SELECT *, words_of(record) AS spelled, array_to_string(names_in(spelled), ' ') AS name,
    skeleton(name) AS letters, list_sort(regexp_extract_all(name, '\d+(?:\.\d+)?')) AS versions,
    list_concat(sizes, sizes_in(spelled)) AS all_sizes
    FROM (FROM asked UNION ALL BY NAME FROM entries SEMI JOIN (FROM ledger WHERE NOT only_speaks) USING (record)))
SELECT old, new, 'same' AS relation FROM compared old JOIN compared new ON old.versions = new.versions
WHERE old.model_id IS NOT NULL AND new.model_id IS NULL AND sizes_agree(old.all_sizes, new.all_sizes)
AND (is_alike(old.name, new.name) OR is_alike(old.letters, new.letters))
AND (new.sources[1], old.model_id) NOT IN (SELECT (source_id, model_id) FROM claims)
