-- Hours of an NVIDIA A100 at a share of its peak of 3.12e14 FLOP/s (dense FP16 or BF16 on tensor cores, NVIDIA's data sheet).
(flop, utilisation) AS flop / (3.12e14 * utilisation * 3600.0)
