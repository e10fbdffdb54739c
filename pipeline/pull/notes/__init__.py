"""Reads numbers out of the notes of a source, which are themselves never kept."""
