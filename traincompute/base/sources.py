"""The sources that every part of the reader and of the pipeline knows by the beginning of their names."""

OWN = "curated"  # what this project entered by hand: facts that it read, each of which names where, and corrections


def both_days(sources_until: str, by_hand_until: str) -> str:
    """Up to which days a dataset goes, in words."""
    return f"facts to {sources_until}" + (f", entered by hand to {by_hand_until}" if by_hand_until else "")
