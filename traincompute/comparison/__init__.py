"""Two states of the dataset against each other: what came, went or changed, why, and what it does to headline
figures."""
