"""What a training run takes, from its size or its chips: for one run, and for a table of runs."""
