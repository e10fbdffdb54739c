# An engineer with a list of hub names: which models are these, and how much compute did each take?
printf 'repo\nmeta-llama/Llama-3.1-8B-Instruct\nTheBloke/Llama-2-70B-Chat-GPTQ\ngoogle/gemma-2-27b-it\n' > served.csv
traincompute match served.csv --column repo --add parameters --add flop_05 --add flop_95
# > meta-llama/Llama-3.1-8B-Instruct,llama-3.1-8b,
# > TheBloke/Llama-2-70B-Chat-GPTQ,llama-2-70b,
# > google/gemma-2-27b-it,gemma-2-27b,
traincompute match teknium/OpenHermes-2.5-Mistral-7B || echo "asked again, ends with $?"
# > ,base,,mistral-7b,
# > asked again, ends with 1
traincompute explain https://huggingface.co/deepseek-ai/DeepSeek-V3
# > compute  
traincompute explain gpt-3-175b --field training_energy_kwh
# > MWh –
