"""Upstream files → facts in the ledger; the only room with a network."""
