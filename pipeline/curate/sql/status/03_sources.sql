-- title: sources
-- remedy: traincompute pull
-- The newest snapshot is that of the lock; of a source entered by hand, the newest line.
SELECT source_id, coalesce(newest::DATE, sources.snapshot) AS snapshot,
date_diff('day', coalesce(newest::DATE, sources.snapshot), current_date) AS age_days,
last_looked_at::DATE AS last_looked_at, records, if(url IS NULL, 'entered by hand', 'pulled by URL') AS how,
if(newest::DATE <> sources.snapshot, 'the dataset was built with ' || sources.snapshot || ': run traincompute build',
    NULL) AS pending
FROM sources LEFT JOIN snapshots_now USING (source_id) ORDER BY source_id
