"""Normal distributions, and random numbers that are the same on every machine and with every version of numpy: no
distribution of its generators is used, whose streams may change (NEP 19), but raw words alone.

A model's training compute is five quantiles of log10 FLOP: arrays of rows × SHARES. Between two quantiles, and beyond
the outer two, the logarithm is normal: a straight line over standard deviations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import blake2b
from math import erf, sqrt
from statistics import NormalDist

import numpy as np

SHARES = np.array([0.05, 0.25, 0.50, 0.75, 0.95])
QUANTILES = ["flop_05", "flop_25", "flop_50", "flop_75", "flop_95"]
# the probability of less than so many standard deviations, and the standard deviations below which a share lies
normal_cdf: Callable[[np.ndarray], np.ndarray] = np.vectorize(lambda z: 0.5 * (1 + erf(z / sqrt(2))), otypes=[float])
normal_quantile: Callable[[np.ndarray], np.ndarray] = np.vectorize(NormalDist().inv_cdf, otypes=[float])
Z = normal_quantile(SHARES)


def deviations(dex: np.ndarray, value: np.ndarray) -> np.ndarray:
    """How many standard deviations above its median each distribution has a value (of the row); infinite beyond outer
    quantiles that are equal."""
    rows, part = np.arange(len(dex)), np.clip((dex < value[:, None]).sum(axis=1) - 1, 0, len(Z) - 2)
    first, second = dex[rows, part], dex[rows, part + 1]
    width = second - first
    step = (value - first) / np.where(width > 0, width, 1)
    beyond = np.where(second < value, np.inf, -np.inf)
    return np.asarray(np.where(width > 0, Z[part] + (Z[part + 1] - Z[part]) * step, beyond))


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
