"""The distribution of a model's training compute as five quantiles of log10 FLOP: arrays of rows × SHARES.

Between two quantiles, and beyond the outer two, the logarithm is normal: a straight line over standard deviations.
"""

from __future__ import annotations

from math import erf, sqrt
from statistics import NormalDist

import numpy as np

SHARES = np.array([0.05, 0.25, 0.50, 0.75, 0.95])
QUANTILES = ["flop_05", "flop_25", "flop_50", "flop_75", "flop_95"]
Z = np.array([NormalDist().inv_cdf(share) for share in SHARES.tolist()])


def deviations(dex: np.ndarray, value: np.ndarray) -> np.ndarray:
    """How many standard deviations above its median each distribution has a value (of the row); infinite beyond outer
    quantiles that are equal."""
    rows, part = np.arange(len(dex)), _part((dex < value[:, None]).sum(axis=1))
    first, second = dex[rows, part], dex[rows, part + 1]
    width = second - first
    step = (value - first) / np.where(width > 0, width, 1)
    beyond = np.where(second < value, np.inf, -np.inf)
    found: np.ndarray = np.where(width > 0, Z[part] + (Z[part + 1] - Z[part]) * step, beyond)
    return found


def values(dex: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The values (rows × any number) that lie so many standard deviations above the median of the row."""
    part = _part(np.searchsorted(Z, z))
    first, second = (np.take_along_axis(dex, place, axis=1) for place in (part, part + 1))
    found: np.ndarray = first + (z - Z[part]) / (Z[part + 1] - Z[part]) * (second - first)
    return found


def _part(below: np.ndarray) -> np.ndarray:
    """The first of the two quantiles between which to go, of how many lie below."""
    part: np.ndarray = np.clip(below - 1, 0, len(Z) - 2)
    return part


def normal_cdf(z: np.ndarray) -> np.ndarray:
    """The probability of less than so many standard deviations."""
    return np.array([0.5 * (1 + erf(value / sqrt(2))) for value in z.tolist()])


def normal_quantile(share: np.ndarray) -> np.ndarray:
    """The standard deviations below which a share lies; of the same shape."""
    return np.array([NormalDist().inv_cdf(value) for value in share.ravel().tolist()]).reshape(share.shape)
