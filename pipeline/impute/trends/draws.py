"""Draws of the bootstrap, the same on every machine."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from traincompute.base import draws as numbers

LEVELS = 1 << 16


@cache
def _poisson_levels() -> np.ndarray:
    """Poisson(1) by inversion, for each of 65,536 equal slices of (0, 1)."""
    steps = np.cumsum([math.exp(-1) / math.factorial(k) for k in range(12)])
    return np.asarray(np.searchsorted(steps, (np.arange(LEVELS) + 0.5) / LEVELS), dtype="float64")


def poisson_weights(seed: int, draws: int, n: int) -> np.ndarray:
    """draws × n weights, Poisson with mean 1: how often a row occurs in a resample."""
    levels = numbers.words(seed, -(-draws * n // 4)).view("<u2")[: draws * n]
    weights: np.ndarray = _poisson_levels()[levels].reshape(draws, n)
    return weights


def normals(seed: int, draws: int, n: int) -> np.ndarray:
    """draws × n standard normal numbers."""
    even = -(-draws * n // 2) * 2
    return numbers.normals(numbers.words(seed, even))[: draws * n].reshape(draws, n)


def signs(seed: int, draws: int, n: int) -> np.ndarray:
    """draws × n numbers that are -1 or 1 with equal probability."""
    bits = np.unpackbits(numbers.words(seed, -(-draws * n // 64)).view("u1"))[: draws * n]
    return (2.0 * bits - 1.0).reshape(draws, n)
