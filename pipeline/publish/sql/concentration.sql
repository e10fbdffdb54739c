-- How concentrated the notable models of a year and their training compute are on owners (an organisation, or the one that it belongs to): Herfindahl index, the sum of squared shares (1 = one has all; 1 ÷ n = n equal ones).
-- year: Year of publication
-- owners: Owners with a notable model of the year
-- herfindahl_models: Herfindahl index of the shares of models
-- herfindahl_compute: Herfindahl index of the shares of training FLOP
-- largest_share: Largest share of training FLOP
WITH owned AS (
  SELECT year, owner, sum(share_of_models) AS share_of_models, sum(share_of_compute) AS share_of_compute
  FROM organization_shares GROUP BY year, owner
)
SELECT year, count(*) AS owners, sum(share_of_models ^ 2) AS herfindahl_models,
  sum(share_of_compute ^ 2) AS herfindahl_compute, max(share_of_compute) AS largest_share
FROM owned GROUP BY year ORDER BY year
