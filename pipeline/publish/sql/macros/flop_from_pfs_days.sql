-- FLOP of a number of petaflop/s-days: 1 petaflop/s-day is 1e15 × 86,400 = 8.64e19 FLOP (Amodei and Hernandez 2018).
(pfs_days) AS pfs_days * 8.64e19
