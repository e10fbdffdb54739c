-- title: the same arXiv id, date and parameters
-- remedy: paste one of the two lines into data/raw/curated/identities.csv
SELECT old, new, 'same' AS relation FROM entries old JOIN entries new ON old.digits = new.digits AND old.age < new.age
WHERE len([x FOR x IN list_intersect(old.links, new.links) IF x LIKE 'arXiv:%']) > 0
AND list_has_any(old.dates, new.dates) AND list_has_any(old.sizes, new.sizes)
AND NOT settled(old.record, old.relations, new.record, new.relations)
