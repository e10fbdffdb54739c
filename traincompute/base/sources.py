"""The one source that every part of the reader and of the pipeline knows by name."""

OWN = "curated"  # what this project states itself: facts that it read, each of which names where, and corrections
