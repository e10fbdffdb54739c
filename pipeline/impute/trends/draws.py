"""Seeded random draws that are the same on every machine and with every version of numpy.

Only raw words of PCG64 are used: numpy keeps the stream of a bit generator stable (NEP 19), but not that of its
distributions.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

LEVELS = 1 << 16


def _raw(seed: int, words: int) -> np.ndarray:
    return np.random.PCG64(seed).random_raw(words).astype("<u8", copy=False)


@cache
def _poisson_levels() -> np.ndarray:
    """Poisson(1) by inversion, for each of 65,536 equal slices of (0, 1)."""
    steps = np.cumsum([math.exp(-1) / math.factorial(k) for k in range(12)])
    return np.asarray(np.searchsorted(steps, (np.arange(LEVELS) + 0.5) / LEVELS), dtype="float64")


def poisson_weights(seed: int, draws: int, n: int) -> np.ndarray:
    """draws × n weights, Poisson with mean 1: how often a row occurs in a resample."""
    levels = _raw(seed, -(-draws * n // 4)).view("<u2")[: draws * n]
    weights: np.ndarray = _poisson_levels()[levels].reshape(draws, n)
    return weights


def normals(seed: int, draws: int, n: int) -> np.ndarray:
    """draws × n standard normal numbers (Box and Muller 1958)."""
    half = -(-draws * n // 2)
    uniform = (_raw(seed, 2 * half) >> np.uint64(11)).astype("float64")
    uniform += 0.5  # in place: there may be millions
    uniform *= 2.0**-53
    radius, angle = np.sqrt(-2 * np.log(uniform[:half])), 2 * np.pi * uniform[half:]
    np.multiply(radius, np.cos(angle), out=uniform[:half])
    np.multiply(radius, np.sin(angle), out=uniform[half:])
    return uniform[: draws * n].reshape(draws, n)


def signs(seed: int, draws: int, n: int) -> np.ndarray:
    """draws × n numbers that are -1 or 1 with equal probability."""
    bits = np.unpackbits(_raw(seed, -(-draws * n // 64)).view("u1"))[: draws * n]
    return (2.0 * bits - 1.0).reshape(draws, n)
