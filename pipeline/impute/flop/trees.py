"""Decision trees as a table, walked with numpy.

A row per node: tree (a number), feature (the column that it looks at; empty in a leaf), at (a row goes left if its
feature is at most this), right (how many rows further down the right child stands; the left child is the next row), and
the numbers of a leaf. Tree t predicts the models of fold t % FOLDS, and was grown without them.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from pipeline.impute.flop.methods.features import FOLDS

NODE = ["tree", "feature", "at", "right"]
DECIMALS = 3  # of a feature and of a threshold
UNKNOWN = -9.0  # what a missing number is: less than the log10 of any size, farther than most distances


class Trees(NamedTuple):
    """The nodes of all trees one after another: index of the feature, threshold, steps to either child (0 in a leaf),
    numbers of the leaf; and the roots, a row per fold."""

    feature: np.ndarray
    at: np.ndarray
    steps: np.ndarray
    leaf: np.ndarray
    roots: np.ndarray


def load_trees(table: pd.DataFrame, names: list[str]) -> Trees:
    """The trees of a table, for the features in the order of `names`. Raises KeyError for a feature that is not
    there."""
    place = {name: index for index, name in enumerate(names)}
    right = table["right"].astype("float64").fillna(0).to_numpy()
    inner = right > 0
    feature = np.zeros(len(table), dtype="int32")
    codes, seen = pd.factorize(table.loc[inner, "feature"])
    feature[inner] = np.array([place[name] for name in seen], dtype="int32")[codes]
    steps = np.stack([inner, right]).astype("int32")
    trees = table["tree"].to_numpy()
    first = np.flatnonzero(np.append(True, trees[1:] != trees[:-1]))
    roots = first.reshape(-1, FOLDS).T.astype("int32")
    leaf = table[[name for name in table if name not in NODE]].to_numpy(dtype="float64")
    return Trees(feature, np.where(inner, table["at"], 0.0), steps, leaf, roots)


def as_features(columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """The columns side by side as the trees see them: rounded, so that the last bit of a machine does not show, and
    with a number where one is missing."""
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
