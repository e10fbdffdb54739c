"""Refuses what breaks a schema: cells, rows, and references between tables."""
