"""Values and rows, for people and for machines."""
