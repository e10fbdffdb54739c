-- title: similar names and a shared organisation or link
-- remedy: paste one of the two lines into data/raw/curated/identities.csv
SELECT old, new, 'same' AS relation FROM entries old JOIN entries new ON old.digits = new.digits AND old.age < new.age
WHERE (list_has_any(old.organizations, new.organizations) OR list_has_any(old.links, new.links))
AND (is_alike(old.words, new.words) OR is_alike(old.slug, new.slug)) AND sizes_agree(old.sizes, new.sizes)
AND NOT settled(old.record, old.relations, new.record, new.relations)
