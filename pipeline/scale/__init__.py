"""The whole build of a ledger that does not fit into memory, in chunks."""
