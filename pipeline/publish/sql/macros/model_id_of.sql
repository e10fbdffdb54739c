-- The model_id that a name stands for, once case, accents and punctuation are folded (name_key); null where no model has the name, or it is not clear which one is meant.
(text) AS (SELECT any_value(a.model_id) FROM aliases AS a WHERE a.is_decisive AND a.key = name_key(text))
