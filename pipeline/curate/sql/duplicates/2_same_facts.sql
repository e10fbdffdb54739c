-- title: the same parameters, and the same name, or date and link
-- remedy: paste one of the two lines into data/raw/curated/identities.csv
-- Of a name also the date or the link agrees. Neither model is made from the other, and they share no run.
SELECT old, new, 'same' AS relation FROM entries old JOIN entries new ON old.age < new.age
JOIN models a ON a.model_id = old.model_id JOIN models b ON b.model_id = new.model_id
WHERE list_has_any(old.sizes, new.sizes) AND CASE
    WHEN stem(old.record) = stem(new.record)
        THEN list_has_any(old.dates, new.dates) OR list_has_any(old.links, new.links)
    ELSE old.digits = new.digits AND list_has_any(old.dates, new.dates) AND list_has_any(old.links, new.links)
        AND coalesce(list_has_any(a.domains, b.domains), true) END
AND coalesce(a.training_run_id, a.model_id) <> coalesce(b.training_run_id, b.model_id)
AND a.base_model_id IS DISTINCT FROM b.model_id AND b.base_model_id IS DISTINCT FROM a.model_id
AND NOT settled(old.record, old.relations, new.record, new.relations)
