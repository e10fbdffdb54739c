"""The rank of each notable model by compute among the training runs published on or before its day."""

from __future__ import annotations

import numpy as np

from pipeline.impute.derive.run_ids import first_of_run

BLOCK = 256  # entries: a thousand are ranked fastest in blocks of 64 to 256, half a million in blocks of 256 to 1,024


def frontier_rank(date: np.ndarray, flop: np.ndarray, counted: np.ndarray, run: np.ndarray) -> np.ndarray:
    """One more than the number of runs published by then whose first counted model exceeds a counted model in FLOP, so 1
    for the largest so far; null (NaN) for models that do not count. `counted` are the notable models with a date and
    published FLOP."""
    ranks = np.full(len(flop), np.nan)
    days = date[counted].astype("int64")
    ranks[counted] = larger_before(days, flop[counted], first_of_run(run[counted], days)) + 1
    return ranks


def larger_before(days: np.ndarray, values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """For each entry, how many of the entries that count, of the same or an earlier day, have a larger value.

    Entries are taken day by day, and within a day the largest first, so that every larger one comes before. They are
    compared in blocks: with the sorted values of all blocks before, and pair by pair within the block."""
    order = np.lexsort((-values, days))
    sorted_values, is_one = values[order], counts[order]
    seen, larger = np.empty(0), np.empty(len(values), dtype="int64")
    earlier = np.tri(BLOCK, k=-1, dtype=bool)
    for start in range(0, len(values), BLOCK):
        some, one = sorted_values[start : start + BLOCK], is_one[start : start + BLOCK]
        inside = np.count_nonzero((some > some[:, None]) & one & earlier[: len(some), : len(some)], axis=1)
        larger[order[start : start + BLOCK]] = len(seen) - np.searchsorted(seen, some, side="right") + inside
        seen = np.sort(np.concatenate([seen, np.sort(some[one])]), kind="stable")  # which merges two sorted parts
    return larger
