"""Growth of compute and its kin over time: which models, straight lines, kinks, projections."""
