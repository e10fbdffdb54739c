-- A model's name in the form in which names are compared, as column `key` of aliases has it.
(text) AS words_key(name_words(text))
