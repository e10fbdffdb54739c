-- The probability that a FLOP value with a 90 % interval exceeds a threshold: log-normal on each side of the value, 5 % beyond either end; certain where the end is the value itself.
(flop, low, high, threshold) AS CASE
    WHEN threshold <= flop AND low >= flop THEN 1.0
    WHEN threshold > flop AND high <= flop THEN 0.0
    WHEN threshold <= flop THEN normal_cdf(1.6448536269514722 * ln(flop / threshold) / ln(flop / low))
    ELSE normal_cdf(1.6448536269514722 * ln(flop / threshold) / ln(high / flop)) END
