-- title: changes since the last release
-- remedy: add lines to data/raw/curated/waivers.csv (table,id,column,new_value,reason,day; * as id: the whole column)
SELECT * REPLACE (is_held::BOOLEAN AS is_held) FROM findings
