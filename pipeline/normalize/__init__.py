"""Facts → typed readings → claims, one selected per cell → the wide tables."""
