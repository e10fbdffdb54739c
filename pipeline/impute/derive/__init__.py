"""Columns derived from selected values: power, energy, carbon, cost, eras, rank at the frontier."""
