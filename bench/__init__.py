"""Measures what the pipeline costs, as ratios within one run; see `python -m bench --help`."""
