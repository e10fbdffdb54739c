-- title: records that a source replaced by another between two snapshots
-- remedy: paste one of the two lines into data/raw/curated/identities.csv
-- Two records with a link, or a date and parameters, in common.
WITH said AS (
    SELECT source_id, record,
    list_distinct(flatten(list(links_of(value_text)) FILTER (field = 'reference_url'))) AS links,
    list(DISTINCT value_text) FILTER (field = 'publication_date') AS dates,
    list(DISTINCT try_cast(value_text AS DOUBLE)) FILTER (field = 'parameters') AS sizes
    FROM ledger GROUP BY source_id, record),
moved AS (
    SELECT r.kind, r.model_id, r.to_snapshot, r.to_snapshot AS since, [source_id] AS sources, said.*,
    coalesce(relations, []) AS relations, []::VARCHAR[] AS organizations
    FROM revisions r JOIN said USING (source_id, record) LEFT JOIN decided USING (record)
    WHERE r.kind IN ('record_removed', 'record_added'))
SELECT old, new, 'renamed' AS relation FROM moved old JOIN moved new USING (source_id, to_snapshot)
WHERE old.kind = 'record_removed' AND new.kind = 'record_added' AND old.model_id <> new.model_id
AND (list_has_any(old.links, new.links) OR list_has_any(old.dates, new.dates) AND list_has_any(old.sizes, new.sizes))
AND sizes_agree(old.sizes, new.sizes) AND NOT list_contains(list_concat(old.relations, new.relations), 'split')
AND NOT settled(old.record, old.relations, new.record, new.relations)
