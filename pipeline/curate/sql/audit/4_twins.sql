-- title: models that may be one under two ids
-- remedy: decide the pair in data/raw/curated/identities.csv (same or distinct)
-- Pairs with the same parameters, of which two of four agree: name, date, compute, link. Where neither states its
-- parameters, date, compute and link must agree: a paper has many models of sizes that it does not state.
WITH compared AS (
    SELECT a, b, abs(a.parameters / b.parameters - 1) <= 0.01 AS size, stem(a.name) = stem(b.name) AS name,
    abs(date_diff('day', a.publication_date, b.publication_date)) <= 7 AS date, a.link = b.link AS link,
    coalesce(abs(a.training_compute_flop / b.training_compute_flop - 1) <= 0.011, false) AS compute FROM pairs)
SELECT a.model_id, 'name' AS field, a.name AS stated, b.name AS expected,
concat_ws(', ', if(size, 'parameters', NULL), if(name, 'name', NULL), if(date, 'date', NULL),
    if(compute, 'compute', NULL), if(link, 'link', NULL)) || ' as ' || b.model_id AS evidence,
[]::VARCHAR[] AS claim_ids
FROM compared WHERE size AND name::INT + date::INT + compute::INT + link::INT >= 2
OR a.parameters IS NULL AND b.parameters IS NULL AND date AND compute AND link
ORDER BY a.model_id, b.model_id
