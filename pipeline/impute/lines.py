"""Straight lines through log10 of a quantity over time, for many groups at once, with bootstrap draws.

Ordinary least squares in closed form. In a resample every model counts a Poisson number of times with mean 1 (the
Poisson bootstrap: Hanley & MacGibbon 2006, doi:10.1016/j.cmpb.2006.04.006), which for these sizes agrees with drawing n
models out of n and needs only matrix products; a model has the same count in all groups. For an interval that includes
measurement uncertainty, each value is also shifted by a normal draw with its own standard deviation."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from traincompute.base import draws as numbers

EPOCH = 2020.0  # years are counted from here, which keeps the sums well conditioned
DRAWS = 1000
SEED = 20220503
TAILS = (0.05, 0.95)
LEVELS = 1 << 16


class Lines(NamedTuple):
    """One entry (or column) per group: log10 value = level + slope × (year − 2020), and its bootstrap draws."""

    n: np.ndarray
    slope: np.ndarray
    level: np.ndarray
    slopes: np.ndarray  # draws × groups, models resampled and values shifted
    sampled: np.ndarray  # draws × groups, models resampled but values not shifted


def fit_lines(points: pd.DataFrame, groups: Sequence[np.ndarray]) -> Lines:
    """Lines through groups of `points` (year, log10, sd_dex), of which `groups` has the places; slopes in dex a
    year."""
    year, log10, sd = (points[name].to_numpy("float64") for name in ("year", "log10", "sd_dex"))
    t, inside = year - EPOCH, np.zeros((len(year), len(groups)))
    for i, rows in enumerate(groups):
        inside[rows, i] = 1
    parts = [values[:, None] * inside for values in (t**0, t, t * t, log10, t * log10)]
    weights = poisson_weights(SEED, DRAWS, len(t))
    drawn = [weights @ part for part in parts]
    sampled = slopes = solve(drawn)[1]
    if sd.any():  # each copy of a model has an error of its own, so that variances add
        shift = numbers.normals(numbers.words(SEED + 1, weights.size)).reshape(weights.shape) * np.sqrt(weights) * sd
        slopes = solve([*drawn[:3], drawn[3] + shift @ inside, drawn[4] + (shift * t) @ inside])[1]
    return Lines(*solve([part.sum(axis=0) for part in parts]), slopes, sampled)


def solve(sums: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weight, slope and level at 2020 from Σw, Σwt, Σwt², Σwy and Σwty; nan with fewer than two dates."""
    n, st, stt, sy, sty = sums
    spread = n * stt - st * st
    spread = np.where(spread > 1e-9, spread, np.nan)
    slope = (n * sty - st * sy) / spread
    return n, slope, (sy - slope * st) / np.where(n > 0, n, np.nan)


def interval(values: np.ndarray) -> np.ndarray:
    """The 5 % and 95 % points of the draws of each group, as a 2 × groups array."""
    return np.asarray(np.nanquantile(values, TAILS, axis=0))


def poisson_weights(seed: int, draws: int, n: int) -> np.ndarray:
    """draws × n weights, Poisson with mean 1: by inversion, for each of 65,536 equal slices of (0, 1)."""
    steps = np.cumsum([math.exp(-1) / math.factorial(k) for k in range(12)])
    poisson = np.asarray(np.searchsorted(steps, (np.arange(LEVELS) + 0.5) / LEVELS), dtype="float64")
    levels = numbers.words(seed, -(-draws * n // 4)).view("<u2")[: draws * n]
    return np.asarray(poisson[levels].reshape(draws, n))
