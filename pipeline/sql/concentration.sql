-- How concentrated the notable models of a year and their training compute are on organisations: Herfindahl index, the sum of squared shares (1 = one organisation has all; 1 ÷ n = n equal ones).
-- year: Year of publication
-- organizations: Organisations with a notable model of the year
-- herfindahl_models: Herfindahl index of the shares of models
-- herfindahl_compute: Herfindahl index of the shares of training FLOP
-- largest_share: Largest share of training FLOP
SELECT year, count(*) AS organizations, sum(share_of_models ^ 2) AS herfindahl_models,
  sum(share_of_compute ^ 2) AS herfindahl_compute, max(share_of_compute) AS largest_share
FROM organization_shares GROUP BY year ORDER BY year
