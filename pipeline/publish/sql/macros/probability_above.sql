-- The probability that a FLOP value is at least a threshold, from its 5, 25, 50, 75 and 95 % quantiles: between two of them, and beyond the ends, its logarithm is normal; certain beyond two that are equal.
(q05, q25, q50, q75, q95, threshold) AS CASE
    WHEN threshold <= q05 AND q25 <= q05 THEN 1.0
    WHEN threshold > q95 AND q95 <= q75 THEN 0.0
    WHEN threshold <= q25 AND q25 > q05 THEN 1 - normal_cdf(-1.6448536269514722 + 0.9703638768 * ln(threshold / q05) / ln(q25 / q05))
    WHEN threshold <= q50 AND q50 > q25 THEN 1 - normal_cdf(-0.6744897501960817 + 0.6744897501960817 * ln(threshold / q25) / ln(q50 / q25))
    WHEN threshold <= q75 AND q75 > q50 THEN 1 - normal_cdf(0.6744897501960817 * ln(threshold / q50) / ln(q75 / q50))
    ELSE 1 - normal_cdf(0.6744897501960817 + 0.9703638768 * ln(threshold / q75) / ln(q95 / q75)) END
