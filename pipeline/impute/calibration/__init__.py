"""Measures how far estimates are off on models whose compute is published."""
