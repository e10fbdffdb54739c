-- What differs between two states of `models`: kind, model_id, name, column, old, new, ratio, cause, source_id, detail.
-- Of each state it reads the models, every cell as text (model_id, column, value) and the claims; of the new one what
-- its columns mean. A claim's id depends on what it says and who says it: the same id on both sides is one statement.
WITH RECURSIVE meant AS (SELECT column_name AS "column", claim, derived FROM new_columns WHERE table_name = 'models'),
cells AS (
    SELECT model_id, "column", o.value AS old, n.value AS new, coalesce(claim, "column") AS field,
        CASE WHEN "column" = 'name' THEN 'model_renamed' WHEN old IS NULL THEN 'filled' WHEN new IS NULL THEN 'blanked'
            ELSE 'changed' END AS kind
    FROM old_cells o FULL JOIN new_cells n USING (model_id, "column") LEFT JOIN meant USING ("column")
    SEMI JOIN old_models USING (model_id) SEMI JOIN new_models USING (model_id)
    WHERE o.value IS DISTINCT FROM n.value
),
claimed AS ( -- the cells with the claims behind them; one that comes or goes beside an unchanged claim is computed
    SELECT o.claim_id IS NOT NULL AND later.claim_id IS NULL AS is_gone,
        n.claim_id IS NOT NULL AND earlier.claim_id IS NULL AS is_new, kind, c.model_id, "column", old, new, CASE
            WHEN o.claim_id IS NOT DISTINCT FROM n.claim_id AND (n.claim_id IS NULL OR kind <> 'changed') THEN NULL
            WHEN o.claim_id = n.claim_id THEN 'changed method'
            WHEN list_has_any([later.reason_code, earlier.reason_code], ['corrected', 'replaced']) THEN 'our correction'
            WHEN is_new AND n.source_id = 'curated' OR NOT is_new AND is_gone AND o.source_id = 'curated'
                THEN 'new curated fact'
            WHEN is_new OR is_gone THEN 'upstream revision' ELSE 'selection' END AS cause,
        coalesce(n.source_id, o.source_id) AS source_id, coalesce(later.reason, n.reason) AS detail
    FROM cells c
    LEFT JOIN old_claims o ON o.model_id = c.model_id AND o.field = c.field AND o.status = 'selected'
    LEFT JOIN new_claims n ON n.model_id = c.model_id AND n.field = c.field AND n.status = 'selected'
    LEFT JOIN new_claims later ON later.claim_id = o.claim_id
    LEFT JOIN old_claims earlier ON earlier.claim_id = n.claim_id
),
sides AS ( -- models that one side has, with their training compute; their claims, and the model that has these records
    SELECT 'model_added' AS kind, m.model_id, NULL::VARCHAR AS old, training_compute_flop::VARCHAR AS new, mine.source_id,
        'its record stood under ' || theirs.model_id AS elsewhere
    FROM new_models m ANTI JOIN old_models USING (model_id) LEFT JOIN new_claims mine USING (model_id)
    LEFT JOIN old_claims theirs USING (source_id, record)
    UNION ALL SELECT 'model_removed', m.model_id, training_compute_flop::VARCHAR, NULL, mine.source_id,
        'its record stands under ' || theirs.model_id
    FROM old_models m ANTI JOIN new_models USING (model_id) LEFT JOIN old_claims mine USING (model_id)
    LEFT JOIN new_claims theirs USING (source_id, record)
),
stated AS (
    SELECT kind, model_id, "column", old, new, cause, source_id, detail FROM claimed
    UNION ALL SELECT kind, model_id, NULL, any_value(old), any_value(new), CASE
            WHEN max(elsewhere) IS NOT NULL THEN 'identity' WHEN bool_and(source_id = 'curated') THEN 'new curated fact'
            WHEN count(source_id) > 0 THEN 'upstream revision' END, min(source_id), max(elsewhere)
    FROM sides GROUP BY kind, model_id
),
ancestry AS ( -- of each model itself, its base model, the base of that, and so on
    SELECT model_id, model_id AS ancestor, 0 AS steps FROM new_models
    UNION ALL SELECT a.model_id, base_model_id, steps + 1 FROM ancestry a JOIN new_models b ON b.model_id = ancestor
    WHERE base_model_id IS NOT NULL AND steps < 5
),
ranked AS (
    SELECT model_id, "column", cause, source_id, (list_position($causes, cause), "column") AS rank
    FROM stated WHERE cause IS NOT NULL
),
traced AS ( -- a computed cell has the cause of a cell of the model that its formula names, else of any, else of its base
    SELECT s.model_id, s."column", arg_min({'steps': a.steps, 'cause': r.cause, 'source_id': r.source_id},
        (a.steps, NOT (contains(coalesce(derived, ''), r."column")
            OR s."column" LIKE 'training_compute%' AND r."column" = 'training_compute_flop'), rank)) AS why
    FROM stated s JOIN ancestry a USING (model_id) JOIN ranked r ON r.model_id = ancestor
    LEFT JOIN meant m ON m."column" = s."column" WHERE s.cause IS NULL GROUP BY ALL
),
moved AS ( -- what ranks among models follow
    SELECT {'steps': 9, 'cause': arg_min(cause, rank), 'source_id': arg_min(source_id, rank)} AS why FROM ranked
    WHERE "column" IS NULL OR "column" IN ('training_compute_flop', 'frontier_rank', 'is_notable')
),
caused AS (
    SELECT s.*, coalesce(traced.why, moved.why) AS why FROM stated s LEFT JOIN traced USING (model_id, "column")
    LEFT JOIN moved ON "column" IN ('frontier_rank', 'is_notable')
)
SELECT kind, model_id, coalesce(n.name, o.name) AS name, "column", old, new,
    CASE WHEN "column" IN $numbers THEN printf('%.6g', new::DOUBLE / nullif(old::DOUBLE, 0))::DOUBLE END AS ratio,
    coalesce(cause, why.cause, 'changed method') AS cause, if(cause IS NULL, why.source_id, source_id) AS source_id,
    CASE WHEN cause IS NOT NULL THEN detail WHEN why.steps = 0 THEN 'computed from other cells of the model'
        WHEN why.steps < 9 THEN 'computed from its base model'
        WHEN why.cause IS NOT NULL THEN 'ranked among models that changed'
        ELSE 'computed from other models, or in another way' END AS detail
FROM caused LEFT JOIN new_models n USING (model_id) LEFT JOIN old_models o USING (model_id)
ORDER BY list_position($first, "column") NULLS LAST, kind <> 'blanked', greatest(ratio, 1 / nullif(ratio, 0)) DESC NULLS LAST,
    kind, model_id, "column"
