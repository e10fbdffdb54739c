"""Columns derived from selected values: power, energy, carbon, cost, eras and rank at the frontier."""
