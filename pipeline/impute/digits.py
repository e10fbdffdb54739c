"""Logarithms and decimals of which no figure hangs on the last bit, which each processor and library may choose for
itself."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd

DECIMALS = 9  # of a logarithm that something is decided by

Numbers = TypeVar("Numbers", np.ndarray, np.float64, pd.Series, pd.DataFrame)


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
