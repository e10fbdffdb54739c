"""Two states of the dataset against each other: what came, went or changed, and why."""
