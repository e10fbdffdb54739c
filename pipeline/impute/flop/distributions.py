"""A distribution of the training compute as five quantiles of log10 FLOP, rows × SHARES.

Between two quantiles, and beyond the outer two, the logarithm is normal: a straight line over standard deviations, as
traincompute/thresholds.py reads it.
"""

from __future__ import annotations

from math import erf, sqrt
from statistics import NormalDist

import numpy as np

from pipeline.base.digits import DECIMALS

SHARES = (0.05, 0.25, 0.50, 0.75, 0.95)
Z = np.array([NormalDist().inv_cdf(share) for share in SHARES])
NARROWEST = 0.001  # dex between two quantiles: five equal ones would be a certainty
# What lies outside the limits is no evidence that the limits are wrong: where less than this lies inside, the whole is
# moved until so much does
LEAST_INSIDE = 0.05


def truncated(dex: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The distributions given that the value lies between `low` and `high` (log10 FLOP by row; -inf or inf for none)."""
    outside = np.flatnonzero((dex[:, 0] < low - NARROWEST) | (dex[:, -1] > high + NARROWEST))
    made = dex.copy()
    for row in outside:
        made[row] = _truncated(_spread(dex[row]), float(low[row]), float(high[row]))
    cut: np.ndarray = made.round(DECIMALS)
    return cut


def _spread(quantiles: np.ndarray) -> np.ndarray:
    """The quantiles, each at least NARROWEST above the one before."""
    steps = np.maximum(np.diff(quantiles), NARROWEST)
    apart: np.ndarray = quantiles[0] + np.append(0, np.cumsum(steps))
    return apart


def _truncated(quantiles: np.ndarray, low: float, high: float) -> np.ndarray:
    if chance_below(quantiles, high) < LEAST_INSIDE:
        quantiles = quantiles - (quantiles[0] - high)
    if 1 - chance_below(quantiles, low) < LEAST_INSIDE:
        quantiles = quantiles + (low - quantiles[-1])
    first, last = chance_below(quantiles, low), chance_below(quantiles, high)
    shares = [first + share * (last - first) for share in SHARES]
    return np.clip([value_at(quantiles, share) for share in shares], low, high)


def chance_below(quantiles: np.ndarray, value: float) -> float:
    """The probability of less than a value."""
    part = int(np.clip(np.searchsorted(quantiles, value) - 1, 0, len(Z) - 2))
    step = (value - quantiles[part]) / (quantiles[part + 1] - quantiles[part])
    return 0.5 * (1 + erf(float(Z[part] + step * (Z[part + 1] - Z[part])) / sqrt(2)))


def value_at(quantiles: np.ndarray, share: float) -> float:
    """The value below which a share lies."""
    z = NormalDist().inv_cdf(share)
    part = int(np.clip(np.searchsorted(Z, z) - 1, 0, len(Z) - 2))
    step = (z - Z[part]) / (Z[part + 1] - Z[part])
    return float(quantiles[part] + step * (quantiles[part + 1] - quantiles[part]))
