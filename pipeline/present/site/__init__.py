"""The static site: explorer, docs and one shard of data per view."""
