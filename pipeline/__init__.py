"""The pipeline that rebuilds the traincompute dataset from its sources."""
