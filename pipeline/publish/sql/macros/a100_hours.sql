-- Hours of an NVIDIA A100 at a share of its peak of 3.12e14 FLOP/s (dense FP16 or BF16 on tensor cores, NVIDIA's data sheet), 1.1232e18 FLOP per hour.
(flop, utilisation) AS flop / (1.1232e18 * utilisation)
