"""All that is known about one model, and how it reads."""
