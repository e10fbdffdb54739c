-- title: corrections that keep their effect although upstream has changed the value since
-- remedy: check it; if it is right, give the entry `until` and `upstream: mended`, else its new `value_text`
FROM lapsed
