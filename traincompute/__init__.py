"""Reads the traincompute dataset: how much compute it took to train notable machine-learning models."""

__version__ = "0.1.0"
