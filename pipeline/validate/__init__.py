"""Compares facts with the last release, and refuses cells, rows and references that break a schema."""
