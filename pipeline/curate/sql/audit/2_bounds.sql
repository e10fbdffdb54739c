-- title: values outside the bounds that their source gives
-- remedy: read what the developers say; correct the value or the bound
WITH bounds AS (
    SELECT model_id, source_id, low, high, claim_id FROM claims WHERE field = 'training_compute_bound'
    UNION ALL SELECT model_id, source_id, if(field LIKE '%low', coalesce(value, low), NULL),
        if(field LIKE '%high', coalesce(value, high), NULL), claim_id
        FROM selected WHERE field IN ('training_compute_low', 'training_compute_high'))
SELECT v.model_id, v.field, v.value AS stated, if(v.value < b.low, b.low, b.high) AS expected,
'the source has ' || if(v.value < b.low, 'at least ', 'at most ') || say(expected) || ' FLOP; the value is '
    || say(v.value) AS evidence,
[v.claim_id, b.claim_id] AS claim_ids
FROM selected v JOIN bounds b USING (model_id, source_id)
WHERE v.field = 'training_compute_flop' AND (v.value < b.low / 1.01 OR v.value > b.high * 1.01)
ORDER BY abs(log10(stated / expected)) DESC, model_id
