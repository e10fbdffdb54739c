-- Values that a source changed by a factor of ten or more between two snapshots, largest change first.
-- factor: the larger of the old and the new value over the smaller
SELECT model_id, field, old_value, new_value, unit, greatest(ratio, 1 / ratio) AS factor, source_id, from_snapshot, to_snapshot
FROM revisions
WHERE kind = 'value_changed' AND (ratio >= 10 OR ratio <= 0.1)
ORDER BY factor DESC, revision_id
