-- title: facts that could not be read
-- remedy: traincompute sql 'from quarantine' says what to do about each
SELECT field, count(*) AS count, mode(reason) AS reason FROM quarantine
WHERE reason_code NOT IN ('corrected', 'held', 'breaks_rule', 'no_model', 'after_snapshot')
GROUP BY field ORDER BY count DESC, field
