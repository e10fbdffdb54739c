"""Bytes over a network that cannot be trusted: bounded, tried again, resumed, never spliced."""
