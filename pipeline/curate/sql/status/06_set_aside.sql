-- title: values held or set aside, although they can be read
-- remedy: confirm with traincompute curate add-fact, or correct or acknowledge in data/raw/curated/corrections.yml
SELECT record, field, value_text, reason FROM quarantine
WHERE reason_code IN ('breaks_rule', 'no_model', 'after_snapshot')
ORDER BY record, field, value_text
