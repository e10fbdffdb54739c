-- What the checks of `traincompute curate duplicates` share. Each gives pairs of entries, `old` and `new`; around.sql
-- leaves out those that identities.csv decides, and adds what the two share and the lines of which one decides them.
CREATE TEMP MACRO bare(record) AS split_part(record, ' @ ', 1); -- without what tells it from another of the same name
-- a name without punctuation and words of size: "OPT-1.3B (base)" and "opt 125M" are alike
CREATE TEMP MACRO stem(name) AS regexp_replace(regexp_replace(regexp_replace(lower(name), '[^a-z0-9.]+', ' ', 'g'),
    '\b(\d+(\.\d+)?[bmkt]|tiny|mini|small|medium|base|large|huge|xl|xxl)\b', ' ', 'g'), '[^a-z0-9]+', '', 'g');
CREATE TEMP MACRO digits(record) AS regexp_extract_all(bare(record), '\d+'); -- 1.3B is not 13B
-- 100 for equal names: 1 less the share of letters to insert or delete; of thirteen letters one may differ
CREATE TEMP MACRO is_alike(one, other) AS
    2 * levenshtein(one, other) - abs(length(one) - length(other)) <= 0.08 * (length(one) + length(other));
CREATE TEMP MACRO csv_line(cells) AS array_to_string([
    if(regexp_matches(x, '[",]'), '"' || replace(x, '"', '""') || '"', x) FOR x IN cells], ',');
-- whether two sets of parameter counts are within 10 %, or one is empty
CREATE TEMP MACRO sizes_agree(one, other) AS coalesce(
    list_min(one) * 0.9 <= list_max(other) AND list_min(other) * 0.9 <= list_max(one), true);
-- the links of a cell in comparable form: an arXiv id, or the address without scheme, www and trailing slash
CREATE TEMP MACRO links_of(text) AS [
    if(x SIMILAR TO 'arxiv\.org/.*\d{4}\.\d{4,5}.*', 'arXiv:' || regexp_extract(x, '\d{4}\.\d{4,5}'),
        rtrim(lower(x), '/'))
    FOR x IN regexp_extract_all(text, 'https?://(?:www\.)?(\S+)', 1)];
-- the relations that lines of identities.csv give a record; those that say no more than what it is not are left out
CREATE TEMP VIEW decided AS
    SELECT alias AS record, list(relation) AS relations FROM identities WHERE relation <> 'distinct' GROUP BY ALL;
-- whether lines settle two records: a name told from another of the same name, or parts of one record
CREATE TEMP MACRO settled(one, of_one, other, of_other) AS
    len(of_one) > 0 AND one LIKE '% @ %' OR len(of_other) > 0 AND other LIKE '% @ %'
    OR (list_contains(of_one, 'split') OR list_contains(of_other, 'split'))
        AND list_has_any(of_one, ['split', 'renamed']) AND list_has_any(of_other, ['split', 'renamed']);
-- one row per record and model with what all sources say of it now; the newer of two, by `age`, is the alias
CREATE TEMP TABLE entries AS
    WITH said AS (
        SELECT record, model_id, list(DISTINCT source_id) AS sources, min(since) AS since,
        list_distinct(flatten(list(string_split(code, ';')) FILTER (field = 'organization'))) AS organizations,
        list_distinct(flatten(list(links_of(value_text)) FILTER (field = 'reference_url'))) AS links,
        list(DISTINCT code) FILTER (field = 'publication_date') AS dates,
        list(DISTINCT value) FILTER (field = 'parameters' AND value > 0) AS sizes
        FROM claims GROUP BY record, model_id)
    SELECT said.*, coalesce(relations, []) AS relations, digits(record) AS digits, slug(bare(record)) AS slug,
    array_to_string(list_sort(string_split(lower(bare(record)), ' ')), ' ') AS words,
    row_number() OVER (ORDER BY relations IS NULL, since, record, model_id) AS age
    FROM said LEFT JOIN decided USING (record);
-- a name as sources that test a form of a model spell it: words without forms and stamps, and sizes as numbers
CREATE TEMP MACRO words_of(record) AS regexp_extract_all(regexp_replace(lower(bare(record)),
    '\b\d{4}-\d\d-\d\d\b|\b20\d{6}\b|\(2[3-9](?:0[1-9]|1[0-2])\)', ' ', 'g'), '[\pL\pN]+(?:\.\d+[\pL\pN]*)?');
CREATE TEMP MACRO is_size(word) AS regexp_full_match(word, '\d+(?:\.\d+)?[kmbt]');
CREATE TEMP MACRO sizes_in(words) AS [
    x[:-2]::DOUBLE * CASE x[-1] WHEN 'k' THEN 1e3 WHEN 'm' THEN 1e6 WHEN 'b' THEN 1e9 ELSE 1e12 END
    FOR x IN words IF is_size(x)];
CREATE TEMP MACRO names_in(words) AS list_sort([x FOR x IN words IF NOT is_size(x) AND NOT list_contains(
    ['base', 'chat', 'fp8', 'instruct', 'instructed', 'it', 'latest', 'pretrained', 'preview'], x)]);
