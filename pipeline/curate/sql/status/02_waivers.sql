-- title: waivers that apply to nothing
-- remedy: remove the line from data/raw/curated/waivers.csv
FROM idle_waivers
