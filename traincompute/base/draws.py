"""Random numbers that are the same on every machine and with every version of numpy: no distribution of its generators
is used, whose streams may change (NEP 19), but raw words alone."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from math import exp, factorial

import numpy as np


def words(seed: int, n: int, skip: int = 0) -> np.ndarray:
    """n whole numbers of 64 bits, of PCG64, after the first `skip`."""
    return np.random.PCG64(seed).advance(skip).random_raw(n).astype("<u8", copy=False)


def normals(words: np.ndarray) -> np.ndarray:
    """Standard normal numbers from an even number of words of 64 bits (Box and Muller 1958)."""
    uniform = (words >> np.uint64(11)).astype("float64")
    uniform += 0.5  # in place: there may be millions
    uniform *= 2.0**-53
    first, second = np.split(uniform, 2, axis=-1)
    radius, angle = np.sqrt(-2 * np.log(first)), 2 * np.pi * second
    np.multiply(radius, np.cos(angle), out=first)
    np.multiply(radius, np.sin(angle), out=second)
    return uniform


def named_normals(names: Iterable[str], n: int) -> np.ndarray:
    """names × n standard normal numbers (n even) that belong to each name, whatever else is drawn: SplitMix64, which
    begins at a hash of the name (Steele, Lea and Flood 2014, doi:10.1145/2660193.2660195)."""
    seeds = [int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little") for name in names]
    steps = np.arange(1, n + 1, dtype="uint64") * np.uint64(0x9E3779B97F4A7C15)
    mixed = np.array(seeds, dtype="uint64")[:, None] + steps
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return normals(mixed)


def poisson_weights(seed: int, draws: int, n: int) -> np.ndarray:
    """draws × n weights, Poisson with mean 1: how often a row occurs in a resample; by inversion, for each of 65,536
    equal slices of (0, 1)."""
    steps = np.cumsum([exp(-1) / factorial(k) for k in range(12)])
    poisson = np.asarray(np.searchsorted(steps, (np.arange(2**16) + 0.5) / 2**16), dtype="float64")
    levels = words(seed, -(-draws * n // 4)).view("<u2")[: draws * n]
    return np.asarray(poisson[levels].reshape(draws, n))
