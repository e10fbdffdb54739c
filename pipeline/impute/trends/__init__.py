"""Growth of compute and other quantities over time, with intervals."""
