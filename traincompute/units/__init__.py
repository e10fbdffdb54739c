"""The one grammar and the one table of units."""
