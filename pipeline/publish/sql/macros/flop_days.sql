-- FLOP as days of a machine that does one FLOP per second: FLOP ÷ 86,400.
(flop) AS flop / 86400.0
