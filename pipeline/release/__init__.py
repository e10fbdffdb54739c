"""Makes immutable releases below data/processed/releases/: a verified folder per version; the index is written last."""
