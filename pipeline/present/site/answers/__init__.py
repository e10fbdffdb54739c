"""The answers of the site as files: JSON of every model and of the thresholds with their schemas, and a feed of
changes."""
