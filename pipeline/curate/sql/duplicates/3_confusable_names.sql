-- title: names that differ only in case, punctuation, accents or look-alike letters
-- remedy: paste one of the two lines into data/raw/curated/identities.csv
-- A parenthesis that repeats the name is left out: "Tulu 3 (Tülu 3) 70B" is "Tülu-3 70B".
WITH parted AS (
    SELECT *, regexp_extract(bare(record), '^(.*?)\s*\(([^()]+)\)(.*)$', ['head', 'gloss', 'rest']) AS parts
    FROM entries),
plain AS (
    SELECT *, if(parts.gloss <> '' AND skeleton(parts.head) = skeleton(parts.gloss), parts.head || parts.rest,
        bare(record)) AS name FROM parted),
looks AS (SELECT *, digits(name) AS numbers, skeleton(name) AS letters FROM plain)
SELECT old, new, 'same' AS relation FROM looks old JOIN looks new USING (numbers, letters)
WHERE old.age < new.age AND NOT settled(old.record, old.relations, new.record, new.relations)
