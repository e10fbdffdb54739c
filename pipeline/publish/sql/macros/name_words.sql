-- The words of a model's name as names are compared: lower case without accents and punctuation, Greek letters spelled out, numbers apart from the word before them (gpt4 = GPT-4), v3 as 3, 2.0 as 2, 175 billion as 175b; separated by one space.
(text) AS trim(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
    replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(lower(strip_accents(text)),
      '×', 'x'), 'α', ' alpha '), 'β', ' beta '), 'γ', ' gamma '), 'δ', ' delta '), 'λ', ' lambda '), 'μ', ' mu '), 'µ', ' mu '), 'π', ' pi '), 'σ', ' sigma '), 'ω', ' omega '),
    '[^\p{L}\p{N}.+_]+', ' ', 'g'),
    '([^ .+_])\+($|[ .+])', '\1 plus \2', 'g'),
    '\.+([^0-9]|$)', ' \1', 'g'),
    '(^|[^0-9])\.+', '\1 ', 'g'),
    '[ +_]+', ' ', 'g'),
    '([0-9]) ?(b|m|t)(?:illions?|rillions?|n)?( |$)', '\1\2\3', 'g'),
    '([^ .\p{N}]{2})v([0-9])', '\1 \2', 'g'),
    '\bv ?([0-9])', ' \1', 'g'),
    '([^ .\p{N}]{2})([0-9])', '\1 \2', 'g'),
    '\b([0-9]+)\.0( |$)', '\1\2', 'g'),
    ' +', ' ', 'g'))
