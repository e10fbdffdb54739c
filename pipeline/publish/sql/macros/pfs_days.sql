-- Petaflop/s-days of a number of FLOP: 1 petaflop/s-day is 1e15 × 86,400 = 8.64e19 FLOP (Amodei and Hernandez 2018).
(flop) AS flop / 8.64e19
