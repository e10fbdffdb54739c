"""Decision trees as a table, walked with numpy, and a second opinion beside the regression: extremely randomised trees on
what is known about a model.

A row per node: tree (a number), feature (the column that it looks at; empty in a leaf), at (a row goes left if its
feature is at most this), right (how many rows further down the right child stands; the left child is the next row), and
the numbers of a leaf. Tree t predicts the models of fold t % FOLDS, and was grown without them.

Each tree of the second opinion says log10 of the FLOP; their mean is the opinion, their standard deviation tells how much
it depends on the tree (Geurts et al. 2006, doi:10.1007/s10994-006-6226-1). It is no estimate by itself: where it differs
from one, the interval of that one is wider (residual_forest.py).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pipeline.base import digits
from pipeline.impute.flop.methods import features
from pipeline.impute.flop.result import has_word

NODE = ["tree", "feature", "at", "right"]
DECIMALS = 3  # of a feature and of a threshold
UNKNOWN = -9.0  # what a missing number is: less than the log10 of any size, farther than most distances
GROUPS = ["language", "multimodal", "vision", "image generation", "games", "biology", "speech", "other"]
UNITS = ["token", "word", "image", "example", "pixel", "frame"]


class Trees(NamedTuple):
    """The nodes of all trees one after another: index of the feature, threshold, steps to either child (0 in a leaf),
    numbers of the leaf; and the roots, a row per fold."""

    feature: np.ndarray
    at: np.ndarray
    steps: np.ndarray
    leaf: np.ndarray
    roots: np.ndarray


def load_trees(table: pd.DataFrame, names: list[str]) -> Trees:
    """The trees of a table, for the features in the order of `names`. Raises KeyError for a feature that is not there."""
    place = {name: index for index, name in enumerate(names)}
    right = table["right"].astype("float64").fillna(0).to_numpy()
    inner = right > 0
    feature = np.zeros(len(table), dtype="int32")
    codes, seen = pd.factorize(table.loc[inner, "feature"])
    feature[inner] = np.array([place[name] for name in seen], dtype="int32")[codes]
    steps = np.stack([inner, right]).astype("int32")
    trees = table["tree"].to_numpy()
    first = np.flatnonzero(np.append(True, trees[1:] != trees[:-1]))
    roots = first.reshape(-1, features.FOLDS).T.astype("int32")
    leaf = table[[name for name in table if name not in NODE]].to_numpy(dtype="float64")
    return Trees(feature, np.where(inner, table["at"], 0.0), steps, leaf, roots)


def as_features(columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """The columns side by side as the trees see them: rounded, so that the last bit of a machine does not show, and with
    a number where one is missing."""
    return np.asarray(np.round(np.nan_to_num(np.column_stack(list(columns.values())), nan=UNKNOWN), DECIMALS))


def walk(trees: Trees, features: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Rows × trees: the node at which each row ends in each tree of its fold."""
    node: np.ndarray = trees.roots[fold]
    ends, cells, width = node.ravel(), features.ravel(), features.shape[1]
    first = np.repeat(np.arange(len(fold), dtype="int32") * width, node.shape[1])  # of a row in `cells`
    still, at = np.arange(len(ends)), ends.copy()
    while len(still):
        right = cells.take(first + trees.feature.take(at)) > trees.at.take(at)
        step = np.where(right, trees.steps[1].take(at), trees.steps[0].take(at))
        ends[still] = at = at + step
        on = np.flatnonzero(step)
        still, at, first = still.take(on), at.take(on), first.take(on)
    return ends.reshape(node.shape)


def second_opinion(rows: pd.DataFrame, columns: features.Columns, table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """log10 of the FLOP of each row, and the standard deviation over the trees, from `columns` of the rows and the
    trees in `table`."""
    trees = load_trees(table, list(columns))
    each = trees.leaf[walk(trees, as_features(columns), features.folds(rows)), 0]
    return each.mean(axis=1).round(digits.DECIMALS), each.std(axis=1).round(digits.DECIMALS)


def own_columns(rows: pd.DataFrame, base_flop: pd.Series) -> features.Columns:
    """What the trees look at: numbers as log10 (null where unknown), and 0 or 1 for kinds. `base_flop` is the FLOP of the
    base models, aligned with `rows`."""
    logs = features.log_numbers(rows, base_flop)
    start, group = features.starts(rows, logs), features.domain_groups(rows)
    made: dict[str, Any] = {name: logs[name].to_numpy() for name in features.NUMBERS}
    made |= {"anchor": features.anchors(logs, start), "start": start, "year": features.years(rows)}
    made |= {name: (group == name).to_numpy() for name in GROUPS}
    made |= {"industry": has_word(rows["organization_category"], "industry").to_numpy()}
    made |= {name: (rows["open_weights"] == value).fillna(False) for name, value in (("open", True), ("closed", False))}
    made |= {"experts": (rows["parameters_active"] < rows["parameters"]).to_numpy()}
    made |= {f"in {unit}s": (rows["dataset_unit"] == unit).to_numpy() for unit in UNITS}
    made |= {
        "forward": rows["forward_flop"].transform(digits.log10),
        "examples": rows["training_examples"].transform(digits.log10),
    }
    made |= {"numbers known": logs.notna().sum(axis=1).to_numpy()}
    return {name: np.asarray(values, dtype="float64") for name, values in made.items()}
