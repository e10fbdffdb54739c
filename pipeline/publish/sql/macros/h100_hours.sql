-- Hours of an NVIDIA H100 SXM at a share of its peak of 9.894e14 FLOP/s (dense FP16 or BF16 on tensor cores, NVIDIA's data sheet), 3.56184e18 FLOP per hour.
(flop, utilisation) AS flop / (3.56184e18 * utilisation)
