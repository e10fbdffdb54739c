# A journalist: how much did it take to train GPT-4, who says so, and what did the largest models cost?
traincompute explain gpt-4
# > compute     2.1e+25 FLOP
# > source 
traincompute convert "2.1e25 FLOP"
# > petaflop/s-day
traincompute examples cost
# > Which training runs cost the most?
traincompute sql "select name, training_cost_usd from models where is_notable order by 2 desc nulls last limit 3"
# > training_cost_usd
traincompute figures training-compute
# > figures/training-compute.svg
traincompute cite
# > [data set]
