"""The committed facts hold no contradiction that nobody has dealt with: what `traincompute curate audit --gate`
asks."""
