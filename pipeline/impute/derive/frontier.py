"""The rank of each notable model by compute among all notable models published at or before its day."""

from __future__ import annotations

import numpy as np

BLOCK = 64


def frontier_rank(date: np.ndarray, flop: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """1 for a counted model that no counted model published until then exceeds in FLOP, else one more than the number
    of those that do; null (NaN) for all others. `counted` are the notable models with date and FLOP."""
    ranks = np.full(len(flop), np.nan)
    ranks[counted] = larger_before(date[counted].astype("int64"), flop[counted]) + 1
    return ranks


def larger_before(days: np.ndarray, values: np.ndarray) -> np.ndarray:
    """For each entry how many of its day or earlier ones have a larger value, in O(n log² n).

    With the entries by day, and within a day from the largest, those are the larger ones to the left. Within blocks of
    64 all pairs are compared; then a merge sort counts: on each level of blocks of 64, 128 … every entry of a right
    block looks up its place in the left one. One search does all blocks of a level, since the number of the block leads
    the sort key."""
    size = len(values)
    order = np.lexsort((-values, days))
    sorted_values = values[order]
    rank = np.searchsorted(np.sort(values), sorted_values)
    larger = _within_blocks(rank)
    place = np.arange(size)
    for level in range(BLOCK.bit_length() - 1, max(size - 1, 0).bit_length()):
        block = place >> level
        keys = np.sort(block * size + rank)
        right = np.flatnonzero(block & 1)
        left = block[right] - 1
        larger[right] += ((left + 1) << level) - np.searchsorted(keys, left * size + rank[right], side="right")
    counts = np.empty(size, dtype="int64")
    counts[order] = larger
    return counts


def _within_blocks(rank: np.ndarray) -> np.ndarray:
    """For each entry the larger ones to its left in its block of 64."""
    padded = np.full(-(-len(rank) // BLOCK) * BLOCK, -1, dtype="int32")
    padded[: len(rank)] = rank
    blocks = padded.reshape(-1, BLOCK)
    pairs = (blocks[:, :, None] > blocks[:, None, :]) & ~np.tri(BLOCK, dtype="bool")  # left entry, right entry
    counts: np.ndarray = pairs.view("uint8").sum(axis=1, dtype="uint8").reshape(-1)[: len(rank)].astype("int64")
    return counts
