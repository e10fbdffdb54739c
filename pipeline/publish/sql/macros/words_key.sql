-- The words of a name (name_words) run together, but for an underscore between two numbers, so that Llama 2-7B is not Llama 27B.
(words) AS replace(regexp_replace(regexp_replace(words, '([0-9]) ([0-9])', '\1_\2', 'g'), '([0-9]) ([0-9])', '\1_\2', 'g'), ' ', '')
