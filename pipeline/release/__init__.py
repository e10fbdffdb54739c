"""Makes immutable releases below data/processed/releases/: a checked folder per version, and the index written last."""
