-- The cause of each change, by the claims behind it: place, cause, source_id, detail.
-- A claim's id depends on what it says and who says it: the same id on both sides is the same statement.
-- Cells without a claim, and cells that appear or disappear beside an unchanged claim, have no cause here: they are computed.
WITH old_chosen AS (SELECT * FROM old_claims WHERE status = 'selected'),
new_chosen AS (SELECT * FROM new_claims WHERE status = 'selected'),
cells AS (
    SELECT place, kind, o.claim_id AS old_id, n.claim_id AS new_id, coalesce(n.source_id, o.source_id) AS source_id,
        o.source_id AS old_source, n.source_id AS new_source, coalesce(later.reason, n.reason) AS detail,
        o.claim_id IS NOT NULL AND later.claim_id IS NULL AS gone, n.claim_id IS NOT NULL AND earlier.claim_id IS NULL AS fresh,
        coalesce(later.reason_code IN ('corrected', 'replaced'), false) OR coalesce(earlier.reason_code IN ('corrected', 'replaced'), false) AS corrected
    FROM changes c
    LEFT JOIN old_chosen o USING (model_id, field)
    LEFT JOIN new_chosen n USING (model_id, field)
    LEFT JOIN new_claims later ON later.claim_id = o.claim_id
    LEFT JOIN old_claims earlier ON earlier.claim_id = n.claim_id
    WHERE kind NOT IN ('model_added', 'model_removed')
),
records AS ( -- of models that only one side has, and the model under which the other side has them
    SELECT c.place, c.kind, mine.source_id, other.model_id AS elsewhere
    FROM changes c
    JOIN (SELECT 'model_added' AS kind, * FROM new_claims UNION ALL BY NAME SELECT 'model_removed' AS kind, * FROM old_claims) mine
        USING (kind, model_id)
    LEFT JOIN (
        SELECT DISTINCT 'model_added' AS kind, source_id, record, model_id FROM old_claims
        UNION ALL SELECT DISTINCT 'model_removed', source_id, record, model_id FROM new_claims
    ) other ON other.kind = c.kind AND other.source_id = mine.source_id AND other.record = mine.record
)
SELECT place, CASE
        WHEN old_id = new_id THEN 'changed method'
        WHEN corrected THEN 'our correction'
        WHEN fresh AND new_source = 'curated' OR NOT fresh AND gone AND old_source = 'curated' THEN 'new curated fact'
        WHEN fresh OR gone THEN 'upstream revision'
        ELSE 'selection' END AS cause, source_id, detail
FROM cells
WHERE (old_id IS NOT NULL OR new_id IS NOT NULL) AND NOT (old_id IS NOT DISTINCT FROM new_id AND kind IN ('filled', 'blanked'))
UNION ALL
SELECT place, CASE
        WHEN max(elsewhere) IS NOT NULL THEN 'identity'
        WHEN bool_and(source_id = 'curated') THEN 'new curated fact'
        ELSE 'upstream revision' END, min(source_id),
    CASE any_value(kind) WHEN 'model_added' THEN 'its record stood under ' ELSE 'its record stands under ' END || max(elsewhere)
FROM records
GROUP BY place
