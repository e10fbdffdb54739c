"""Straight lines through log10 of a quantity over time, for many groups at once, with bootstrap draws.

Ordinary least squares in closed form. In a resample every model counts a Poisson number of times with mean 1 (the
Poisson bootstrap: Hanley & MacGibbon 2006, doi:10.1016/j.cmpb.2006.04.006), which for these sizes agrees with drawing n
models out of n and needs only matrix products; a model has the same count in all groups. For an interval that includes
measurement uncertainty, each value is also shifted by a normal draw with its own standard deviation.

Of more than BAGS models, those that share a place modulo BAGS are resampled together, as random groups (Wolter 2007,
doi:10.1007/978-0-387-35099-8, chapter 2): the draws of a million cost no more than those of BAGS, and an interval from
thousands of groups is as wide as one from as many models.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from traincompute.base import draws as numbers

EPOCH = 2020.0  # years are counted from here, which keeps the sums well conditioned
DRAWS = 1000
BAGS = 4096  # that are resampled; no vintage has as many values
SEED = 20220503
TAILS = (0.05, 0.95)
LEVELS = 1 << 16


class Lines(NamedTuple):
    """One entry (or column) per group: log10 value = level + slope × (year − 2020), and its bootstrap draws."""

    n: np.ndarray
    slope: np.ndarray
    level: np.ndarray
    r_squared: np.ndarray
    residual: np.ndarray  # standard deviation around the line, n − 2 degrees of freedom
    slopes: np.ndarray  # draws × groups, models resampled and values shifted
    levels: np.ndarray
    sampled: np.ndarray  # draws × groups of the slope, models resampled but values not shifted


def fit_lines(year: np.ndarray, log10: np.ndarray, sd: np.ndarray, groups: Sequence[np.ndarray]) -> Lines:
    """Lines through each group; `groups` has the places of its points. Slopes are in powers of ten a year."""
    t, bags = year - EPOCH, min(len(year), BAGS)
    sums = [_in_bags(values, groups, bags) for values in (t**0, t, t * t, log10, t * log10)]
    n, slope, level = solve([part.sum(axis=0) for part in sums])
    total = np.array([((log10[rows] - log10[rows].mean()) ** 2).sum() for rows in groups])
    beside = (log10[rows] - level[i] - slope[i] * t[rows] for i, rows in enumerate(groups))
    left = np.array([(off**2).sum() for off in beside])
    weights = poisson_weights(SEED, DRAWS, bags)
    drawn = [weights @ part for part in sums]
    _, sampled, sampled_level = solve(drawn)
    slopes, levels = sampled, sampled_level
    if sd.any():
        shifts = _shifts(weights, t, sd, groups)
        _, slopes, levels = solve([*drawn[:3], drawn[3] + shifts[0], drawn[4] + shifts[1]])
    residual = np.sqrt(left / np.maximum(n - 2, 1))
    r_squared = 1 - left / np.where(total > 0, total, np.nan)
    return Lines(n, slope, level, r_squared, residual, slopes, levels, sampled)


def _in_bags(values: np.ndarray, groups: Sequence[np.ndarray], bags: int) -> np.ndarray:
    """bags × groups: the sums of the points of each bag that are in each group. Point i is in bag i modulo `bags`."""
    return np.column_stack([np.bincount(rows % bags, values[rows], bags) for rows in groups])


def _shifts(
    weights: np.ndarray, t: np.ndarray, sd: np.ndarray, groups: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """What the measurement error of each copy of a model, a draw of its own so that variances add, comes to in Σwy and
    Σwty. Of a bag of several, these are two normal numbers with the variances and the covariance of the sums."""
    draws, bags = weights.shape
    variance, both, along = (_in_bags(sd**2 * t**power, groups, bags) for power in range(3))
    level = np.sqrt(variance)
    shared = np.divide(both, level, out=np.zeros_like(both), where=level > 0)
    copies = np.sqrt(weights)
    common = copies * normals(SEED + 1, draws, bags)
    shift, shift_along = common @ level, common @ shared
    if bags < len(t):
        own = np.sqrt(np.maximum(along - shared**2, 0))
        shift_along += (copies * normals(SEED + 2, draws, bags)) @ own
    return shift, shift_along


def solve(sums: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weight, slope and level at 2020 from Σw, Σwt, Σwt², Σwy and Σwty; nan where a draw has fewer than two distinct
    dates."""
    n, st, stt, sy, sty = sums
    spread = n * stt - st * st
    spread = np.where(spread > 1e-9, spread, np.nan)
    slope = (n * sty - st * sy) / spread
    return n, slope, (sy - slope * st) / np.where(n > 0, n, np.nan)


def interval(values: np.ndarray) -> np.ndarray:
    """The 5 % and 95 % points of the draws of each group, as a 2 × groups array."""
    return np.asarray(np.nanquantile(values, TAILS, axis=0))


def poisson_weights(seed: int, draws: int, n: int) -> np.ndarray:
    """draws × n weights, Poisson with mean 1: how often a row occurs in a resample; by inversion, for each of 65,536
    equal slices of (0, 1)."""
    steps = np.cumsum([math.exp(-1) / math.factorial(k) for k in range(12)])
    poisson = np.asarray(np.searchsorted(steps, (np.arange(LEVELS) + 0.5) / LEVELS), dtype="float64")
    levels = numbers.words(seed, -(-draws * n // 4)).view("<u2")[: draws * n]
    return np.asarray(poisson[levels].reshape(draws, n))


def normals(seed: int, draws: int, n: int) -> np.ndarray:
    """draws × n standard normal numbers."""
    even = -(-draws * n // 2) * 2
    return numbers.normals(numbers.words(seed, even))[: draws * n].reshape(draws, n)


def signs(seed: int, draws: int, n: int) -> np.ndarray:
    """draws × n numbers that are -1 or 1 with equal probability."""
    bits = np.unpackbits(numbers.words(seed, -(-draws * n // 64)).view("u1"))[: draws * n]
    return (2.0 * bits - 1.0).reshape(draws, n)
