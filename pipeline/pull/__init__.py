"""Upstream files → facts in the ledger; the only stage with a network."""
