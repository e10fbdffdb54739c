"""The sources that every part of the reader and of the pipeline knows by the beginning of their names."""

OWN = "curated"  # what this project entered by hand: facts that it read, each of which names where, and corrections
