"""Facts → parsed values → claims, one selected per cell → the wide tables."""
