-- Training FLOP of a dense transformer: 6 per parameter and token, 2 forward and 4 backward (Kaplan et al. 2020, arXiv:2001.08361, section 2.1).
(parameters, tokens) AS 6.0 * parameters * tokens
