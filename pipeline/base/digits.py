"""Numbers to a fixed number of digits, so that no figure hangs on the last bit, which each processor and library may
choose for a logarithm, a power or a sum."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd

PUBLISHED = 12  # significant digits of a published number
DECIMALS = 9  # of a logarithm that something is decided by
EXACT = np.array(
    [float(10**power) for power in range(23)]
)  # 10²² is the last power of ten that a float64 holds exactly

Numbers = TypeVar("Numbers", np.ndarray, np.float64, pd.Series, pd.DataFrame)


def significant(values: np.ndarray, digits: int = PUBLISHED) -> np.ndarray:
    """The numbers to so many significant digits, each the float nearest to that decimal. Nulls stay null."""
    kept, known = values.astype("float64"), np.flatnonzero(~np.isnan(values))
    kept[known] = _significant(kept[known], digits)
    return kept


def _significant(values: np.ndarray, digits: int) -> np.ndarray:
    with np.errstate(divide="ignore"):
        place = np.floor(np.log10(np.abs(values))) - (digits - 1)
    exact = np.abs(place) < len(EXACT)  # not that of zero
    some, power = values[exact], EXACT[np.abs(place[exact]).astype("int64")]
    rounded = np.empty_like(values)
    is_below = np.signbit(place[exact])
    rounded[exact] = np.where(is_below, np.round(some * power) / power, np.round(some / power) * power)
    rounded[~exact] = [float(f"{value:.{digits}g}") for value in values[~exact].tolist()]
    return rounded


def log10(values: Numbers) -> Numbers:
    """The logarithm to DECIMALS; null for null."""
    logs: Any = np.log10(values).round(DECIMALS)
    return cast("Numbers", logs)


def decimals(values: Numbers, digits: int) -> Numbers:
    """The numbers to so many decimals, by way of DECIMALS: what is a tie but for its last bit falls the same way
    everywhere."""
    rounded: Any = values.round(DECIMALS).round(digits)
    return cast("Numbers", rounded)


def share(weights: np.ndarray, chosen: np.ndarray) -> float:
    """The share of the weights that is chosen, each sum exact: whole numbers where all weights are 1."""
    return total(weights[chosen]) / total(weights)


def total(values: Iterable[float]) -> float:
    """The exact sum, rounded once, whatever the order."""
    return fsum(values)
