# An analyst of the EU AI Act: which models took at least 1e25 FLOP, how sure is that, and what was thought earlier?
traincompute thresholds 1e25
# > expected
traincompute thresholds 1e25 --list
# > lower bound
traincompute thresholds 1e20 --modified --csv
# > Composer 2.5,Cursor,2026-05-18,3.29e+25,Kimi K2.5
# > PaLI-X,Google Research,2023-05-29,1.7e+23,ViT-22B,Google,FALSE
traincompute sql "select organization, runs, largest from models_above_1e25"
# > OpenAI
traincompute sql "select count(*) > 5 as sure from threshold_probabilities where threshold_flop = 1e25 and probability = 1"
# > true
traincompute explain llama-3.1-405b --field training_compute_flop
# > 3.8e+25
traincompute revisions gpt-4o
# > training_compute_flop
traincompute export models_above_1e25 --to above.csv
# > wrote above.csv
