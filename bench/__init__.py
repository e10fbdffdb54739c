"""Measures what the pipeline and the reader cost, as ratios within one run: `python -m bench`."""
