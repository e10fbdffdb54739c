"""The quantiles of an estimate in plain Python: from the errors of estimates made the same way and, where a forest of
residuals speaks as well, by walking its trees."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

SHARES = [0.05, 0.25, 0.5, 0.75, 0.95]
NO_MATTER = "usual number format of the chip"
UNKNOWN = -9.0  # what a tree sees where a number is missing
FOLDS = 5

Line = Mapping[str, Any]
Kinds = dict[tuple[str, str], tuple[list[float], float]]


def kinds_of(intervals: Iterable[Line]) -> Kinds:
    """By method and assumptions: the errors, either side alike, and the scale."""
    found = {}
    for line in intervals:
        size = [float(text) for name, text in line.items() if name.startswith("error_")]
        found[line["method"], line["assumptions"]] = ([*size, *(-error for error in size)], float(line["scale"]))
    return found


def kind_of(kinds: Kinds, method: str, assumptions: str) -> tuple[list[float], float]:
    said = [word for word in assumptions.split(";") if word and word != NO_MATTER]
    return kinds.get((method, ";".join(said) or "none"), kinds[method, ""])


def quantiles(numbers: list[float], scale: float, inputs: float) -> list[float]:
    """Dex from the estimate: of each share the smallest number with at least that many at or below it, moved away from
    the median by the scale; the ends at least as far as the inputs are unsure, and all others between the ends."""
    ranked = sorted(numbers)
    found = [ranked[math.ceil(share * len(ranked) - 1e-9) - 1] for share in SHARES]
    low, *middle, high = (round(found[2] + (one - found[2]) * scale, 3) for one in found)
    least = max(inputs, 0.02)
    low, high = min(low, -least), max(high, least)
    return [low, *(min(max(one, low), high) for one in middle), high]


def trees_of(spreads: Iterable[Line]) -> list[list[Line]]:
    grown = defaultdict(list)
    for node in spreads:
        grown[int(node["tree"])].append(node)
    return [grown[number] for number in sorted(grown)]


def leaf(tree: list[Line], seen: Mapping[str, float]) -> list[float]:
    """The left child of a node is the next row, the right one stands `right` rows further down."""
    at = 0
    while tree[at]["feature"]:
        at += int(tree[at]["right"]) if seen[tree[at]["feature"]] > float(tree[at]["at"]) else 1
    return [float(text) for name, text in tree[at].items() if name.startswith("dex_")]


def mixed(trees: list[list[Line]], seen: Mapping[str, float], fold: int, errors: list[float]) -> list[float]:
    """The numbers in the leaves of the trees that grew without the fold, and about as many errors."""
    leaves = [number for tree in trees[fold::FOLDS] for number in leaf(tree, seen)]
    return leaves + errors * max(1, round(len(leaves) / len(errors)))
