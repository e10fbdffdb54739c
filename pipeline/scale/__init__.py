"""Estimates for millions of public models: the same formulas on an engine that reads from disk."""
