-- what no line of identities.csv decides yet, with the two lines of which one would
WITH pairs AS ({}),
undecided AS (
    SELECT *, 'same ' || nullif(concat_ws(', ',
        list_intersect(old.links, new.links)[1],
        if(list_has_any(old.dates, new.dates), 'date', NULL),
        printf('%.4g', list_intersect(old.sizes, new.sizes)[1]) || ' parameters',
        if(list_has_any(old.links, new.links), NULL, list_intersect(old.organizations, new.organizations)[1])), '')
    AS shared,
    if(new.model_id IS NULL OR new.record LIKE '% @ %', list_sort(new.sources)[1], '') AS source_id
    FROM pairs WHERE old.record <> new.record AND old.model_id IS DISTINCT FROM new.model_id
    AND NOT EXISTS (FROM identities d WHERE d.relation = 'distinct' AND (
        alias = old.record AND d.model_id IN (new.model_id, slug(new.record))
        OR alias = new.record AND d.model_id IN (old.model_id, slug(old.record)))))
SELECT old.record AS record, new.record AS other, coalesce(shared, 'no shared facts') AS evidence,
csv_line([new.record, source_id, relation, old.model_id, if(relation = 'renamed', new.since::VARCHAR, ''), evidence])
    AS same,
csv_line([new.record, source_id, 'distinct', old.model_id, '', '']) AS "distinct"
FROM undecided ORDER BY ALL
