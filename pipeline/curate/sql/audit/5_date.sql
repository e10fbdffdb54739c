-- title: our estimates by date and kind alone, three times all that is known of the developer
-- remedy: enter a size, chips or a base model with traincompute curate add-fact, or acknowledge the date
-- Medians above 1e24 FLOP beside the largest known run of any of the developers until a year later. Those who had one
-- of 1e25 FLOP may well have had more.
WITH known AS (
    SELECT unnest(organizations) AS developer, publication_date AS day, training_compute_flop AS flop FROM models
    WHERE flop IS NOT NULL),
guessed AS (
    SELECT *, coalesce((SELECT max(flop) FROM known WHERE list_contains(organizations, developer)
        AND day <= publication_date + INTERVAL 1 YEAR), 0) AS most
    FROM models JOIN predictions USING (model_id) WHERE tier = 4 AND flop_50 > 1e24)
SELECT model_id, 'flop_50' AS field, flop_50 AS stated, nullif(most, 0) AS expected,
'the median is ' || say(flop_50) || ' FLOP; ' || if(most > 0, 'the largest known run', 'no run') || ' of '
    || organization || if(most > 0, ' has ' || say(most), ' is known') AS evidence,
[claim_id] AS claim_ids
FROM guessed JOIN selected USING (model_id) WHERE field = 'publication_date' AND stated > 3 * most AND most < 1e25
ORDER BY stated DESC, model_id
