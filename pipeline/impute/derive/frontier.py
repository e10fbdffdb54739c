"""The rank of each notable model by compute among all notable models published on or before its day."""

from __future__ import annotations

from bisect import bisect_right, insort

import numpy as np


def frontier_rank(date: np.ndarray, flop: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """One more than the number of counted models published by then that exceed a counted model in FLOP, so 1 for the
    largest so far; null (NaN) for models that do not count. `counted` are the notable models with a date and FLOP."""
    ranks = np.full(len(flop), np.nan)
    ranks[counted] = larger_before(date[counted].astype("int64"), flop[counted]) + 1
    return ranks


def larger_before(days: np.ndarray, values: np.ndarray) -> np.ndarray:
    """For each entry, how many entries of the same or an earlier day have a larger value.

    Entries are taken day by day, and within a day the largest first, so that a sorted list of the values so far holds
    every larger one. Comparing all pairs in numpy takes twice as long for 650 models and five times as long for 3,400."""
    order = np.lexsort((-values, days))
    seen: list[float] = []
    counts = np.empty(len(values), dtype="int64")
    for place, value in zip(order.tolist(), values[order].tolist(), strict=True):
        counts[place] = len(seen) - bisect_right(seen, value)
        insort(seen, value)
    return counts
