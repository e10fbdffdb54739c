"""Straight lines through log10 of a quantity over time, for many groups at once, with bootstrap draws.

Ordinary least squares in closed form. In a resample every model counts a Poisson number of times with mean 1 (the
Poisson bootstrap: Hanley & MacGibbon 2006, doi:10.1016/j.cmpb.2006.04.006), which for these sizes agrees with drawing n
models out of n and needs only matrix products; a model has the same count in all groups. For an interval that includes
measurement uncertainty, each value is also shifted by a normal draw with its own standard deviation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pipeline.impute.trends import draws as random

EPOCH = 2020.0  # years are counted from here, which keeps the sums well conditioned
DRAWS = 1000
SEED = 20220503
TAILS = (0.05, 0.95)


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


def fit_lines(year: np.ndarray, log10: np.ndarray, sd: np.ndarray, masks: np.ndarray, seed: int = SEED) -> Lines:
    """Lines through each group; `masks` is groups × points. Slopes are in powers of ten a year."""
    t, rows = year - EPOCH, masks.astype("float64").T
    n, slope, level = _solve(_sums(np.ones((1, len(t))), t, log10, rows))
    total, left = _spread(t, log10, rows, slope[0], level[0])
    weights = random.poisson_weights(seed, DRAWS, len(t))
    sums = _sums(weights, t, log10, rows)
    _, sampled, sampled_level = _solve(sums)
    slopes, levels = sampled, sampled_level
    if sd.any():
        # each copy of a model in a resample is shifted by a draw of its own, so that variances add
        moved = np.sqrt(weights) * random.normals(seed + 1, DRAWS, len(t)) * sd
        _, slopes, levels = _solve((*sums[:3], sums[3] + moved @ rows, sums[4] + moved @ (t[:, None] * rows)))
    residual = np.sqrt(left / np.maximum(n[0] - 2, 1))
    r_squared = 1 - left / np.where(total > 0, total, np.nan)
    return Lines(n[0], slope[0], level[0], r_squared, residual, slopes, levels, sampled)


def _sums(weights: np.ndarray, t: np.ndarray, y: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, ...]:
    """Σw, Σwt, Σwt², Σwy, Σwty for each draw and group."""
    return tuple(weights @ (factor[:, None] * rows) for factor in (t**0, t, t * t, y, t * y))


def _solve(sums: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weight, slope and level at 2020 from the sums; nan where a draw has fewer than two distinct dates."""
    n, st, stt, sy, sty = sums
    spread = n * stt - st * st
    spread = np.where(spread > 1e-9, spread, np.nan)
    slope = (n * sty - st * sy) / spread
    return n, slope, (sy - slope * st) / np.where(n > 0, n, np.nan)


def _spread(
    t: np.ndarray, y: np.ndarray, rows: np.ndarray, slope: np.ndarray, level: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Sums of squares for each group: around its mean, and around its line."""
    mean = (rows * y[:, None]).sum(axis=0) / rows.sum(axis=0)
    around = (rows * (y[:, None] - mean) ** 2).sum(axis=0)
    left = (rows * (y[:, None] - level - slope * t[:, None]) ** 2).sum(axis=0)
    return around, left


def interval(values: np.ndarray) -> np.ndarray:
    """The 5 % and 95 % points of the draws of each group, as a 2 × groups array."""
    return np.asarray(np.nanquantile(values, TAILS, axis=0))
