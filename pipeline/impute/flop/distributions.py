"""A distribution of the training compute, cut off at bounds."""

from __future__ import annotations

import numpy as np

from pipeline.base.digits import DECIMALS
from traincompute.base.quantiles import SHARES, deviations, normal_cdf, normal_quantile, values

NARROWEST = 0.001  # dex between two quantiles: five equal ones would be a certainty
# What lies outside the limits is no evidence that the limits are wrong: where less than this lies inside, the whole is
# moved until so much does
LEAST_INSIDE = 0.05


def truncated(dex: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The distributions (rows × SHARES, log10 FLOP) given that the value lies between `low` and `high` (by row; -inf or
    inf for none)."""
    outside = (dex[:, 0] < low - NARROWEST) | (dex[:, -1] > high + NARROWEST)
    made = dex.copy()
    made[outside] = _truncated(_spread(dex[outside]), low[outside], high[outside])
    cut: np.ndarray = made.round(DECIMALS)
    return cut


def _spread(quantiles: np.ndarray) -> np.ndarray:
    """The quantiles, each at least NARROWEST above the one before."""
    steps = np.maximum(np.diff(quantiles), NARROWEST)
    apart: np.ndarray = np.cumsum(np.hstack([quantiles[:, :1], steps]), axis=1)
    return apart


def _truncated(quantiles: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    short = _chance_below(quantiles, high) < LEAST_INSIDE
    quantiles = np.where(short[:, None], quantiles - (quantiles[:, 0] - high)[:, None], quantiles)
    short = 1 - _chance_below(quantiles, low) < LEAST_INSIDE
    quantiles = np.where(short[:, None], quantiles + (low - quantiles[:, -1])[:, None], quantiles)
    first, last = _chance_below(quantiles, low), _chance_below(quantiles, high)
    shares = first[:, None] + (last - first)[:, None] * SHARES
    cut: np.ndarray = np.clip(values(quantiles, normal_quantile(shares)), low[:, None], high[:, None])
    return cut


def _chance_below(quantiles: np.ndarray, value: np.ndarray) -> np.ndarray:
    return normal_cdf(deviations(quantiles, value))
