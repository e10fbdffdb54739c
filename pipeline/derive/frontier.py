"""The rank of each notable model by compute among all notable models published at or before its day."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def frontier_rank(date: np.ndarray, flop: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """1 for a counted model that no counted model published until then exceeds in FLOP, else one more than the number
    of those that do; null (NaN) for all others. `counted` are the notable models with date and FLOP."""
    import numpy as np

    ranks = np.full(len(flop), np.nan)
    ranks[counted] = larger_before(date[counted].astype("int64"), flop[counted]) + 1
    return ranks


def larger_before(days: np.ndarray, values: np.ndarray) -> np.ndarray:
    """For each entry how many of its day or earlier ones have a larger value, in O(n log² n).

    With the entries by day, and within a day from the largest, those are the larger ones to the left. A merge sort
    counts them: on each level of blocks of 1, 2, 4 … every entry of a right block looks up its place in the left one;
    one search does all blocks of a level, since the number of the block leads the sort key."""
    import numpy as np

    size = len(values)
    order = np.lexsort((-values, days))
    rank = np.unique(values[order], return_inverse=True)[1].astype("int64")
    place = np.arange(size)
    larger = np.zeros(size, dtype="int64")
    for level in range(max(size - 1, 0).bit_length()):
        block = place >> level
        keys = np.sort(block * size + rank)
        right = (block & 1).astype("bool")
        left = block[right] - 1
        ends = np.minimum((left + 1) << level, size)
        larger[right] += ends - np.searchsorted(keys, left * size + rank[right], side="right")
    counts = np.empty(size, dtype="int64")
    counts[order] = larger
    return counts
