"""Public models by the million: the same formulas on an engine that reads from disk."""
