-- Growth of the first machine of the Top500 and of the sum of the list, by list: Rmax, and the factor per year over the ten years before.
-- growth_first: Factor per year of the Rmax of the first machine over the ten years before (slope of log10 on time); null before 2004
-- growth_sum: The same of the sum of all Rmax
SELECT list_date, number_one_name, rmax_first, rmax_sum,
  CASE WHEN list_date >= DATE '2003-11-01' THEN 10 ^ regr_slope(log10(rmax_first), epoch(list_date) / 31557600) OVER decade END
    AS growth_first,
  CASE WHEN list_date >= DATE '2003-11-01' THEN 10 ^ regr_slope(log10(rmax_sum), epoch(list_date) / 31557600) OVER decade END
    AS growth_sum
FROM supercomputers
WINDOW decade AS (ORDER BY list_date RANGE BETWEEN INTERVAL 10 YEAR PRECEDING AND CURRENT ROW)
ORDER BY list_date
