-- title: records that a source replaced by another between two snapshots
-- remedy: paste one of the two lines into data/raw/curated/identities.csv
-- Two records with a link, or a date and parameters, in common. Two models that any snapshot lists side by side are two.
WITH said AS (
    SELECT source_id, record, list_distinct(flatten(list(links_of(value_text)) FILTER (field = 'reference_url'))) AS links,
    list(DISTINCT value_text) FILTER (field = 'publication_date') AS dates,
    list(DISTINCT try_cast(value_text AS DOUBLE)) FILTER (field = 'parameters') AS sizes
    FROM ledger GROUP BY source_id, record),
moved AS (
    SELECT r.kind, r.model_id, r.to_snapshot, r.to_snapshot AS since, [source_id] AS sources, said.*,
    coalesce(relations, []) AS relations, []::VARCHAR[] AS organizations
    FROM revisions r JOIN said USING (source_id, record) LEFT JOIN decided USING (record)
    WHERE r.kind IN ('record_removed', 'record_added')),
listed AS (
    SELECT l.source_id, model_id, since, coalesce(until, '9999') AS until
    FROM ledger l JOIN (SELECT DISTINCT source_id, record, model_id FROM claims UNION SELECT source_id, record, model_id
        FROM revisions WHERE kind = 'record_removed') USING (source_id, record) WHERE field = 'name'),
candidates AS MATERIALIZED (
    SELECT old, new FROM moved old JOIN moved new USING (source_id, to_snapshot)
    WHERE old.kind = 'record_removed' AND new.kind = 'record_added' AND old.model_id <> new.model_id
    AND (list_has_any(old.links, new.links) OR list_has_any(old.dates, new.dates) AND list_has_any(old.sizes, new.sizes))
    AND sizes_agree(old.sizes, new.sizes) AND NOT list_contains(list_concat(old.relations, new.relations), 'split')
    AND NOT settled(old.record, old.relations, new.record, new.relations)),
beside AS (
    SELECT old.model_id AS one, new.model_id AS other FROM candidates JOIN listed x ON x.model_id = old.model_id
    JOIN listed y ON y.model_id = new.model_id AND y.source_id = x.source_id
    WHERE x.since < y.until AND y.since < x.until)
SELECT old, new, 'renamed' AS relation FROM candidates
WHERE (old.model_id, new.model_id) NOT IN (SELECT (one, other) FROM beside)
