"""Trees as tables: which child a row goes to, and where it ends, on trees that can be walked by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pipeline.impute.flop.methods.features import FOLDS
from pipeline.impute.flop.trees import as_features, load_trees, walk

# size ≤ 9.5 ? (year ≤ 2 ? 1 : 2) : (year ≤ 1.25 ? (size ≤ 10 ? 3 : 4) : 5)
TREE = pd.DataFrame(
    [
        ("size", 9.5, 4, None), ("year", 2.0, 2, None), (None, None, None, 1.0), (None, None, None, 2.0),
        ("year", 1.25, 4, None), ("size", 10.0, 2, None), (None, None, None, 3.0), (None, None, None, 4.0),
        (None, None, None, 5.0),
    ], columns=["feature", "at", "right", "dex"],
)  # fmt: skip
LEAF = pd.DataFrame([(None, None, None, 9.0)], columns=TREE.columns)


def forest(*trees: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([tree.assign(tree=number) for number, tree in enumerate(trees)], ignore_index=True)


def test_each_row_walks_to_its_leaf_in_each_tree_of_its_fold() -> None:
    others = [LEAF.assign(dex=10.0 + number) for number in range(FOLDS - 1)]
    table = forest(TREE, *others, LEAF.assign(dex=6.0), *others)  # trees 0 and 5 are those of fold 0
    trees = load_trees(table, ["year", "size"])
    size, year = np.array([9.0, 9.5, 9.6, 10.1, 12.0, 12.0]), np.array([2.0, 2.1, 1.0, 1.25, 1.3, 0.0])
    ends = walk(trees, as_features({"year": year, "size": size}), np.array([0, 0, 0, 0, 0, 3]))
    assert trees.leaf[ends, 0].tolist() == [[1, 6], [2, 6], [3, 6], [4, 6], [5, 6], [12, 12]]
    assert trees.roots.tolist() == [[0, 13], [9, 14], [10, 15], [11, 16], [12, 17]]


def test_the_numbers_of_a_leaf_are_the_columns_that_are_none_of_a_node() -> None:
    table = forest(*[TREE.assign(dex_90=TREE["dex"] * 10)] * FOLDS)
    trees = load_trees(table, ["size", "year"])
    assert trees.leaf[2].tolist() == [1.0, 10.0]
    assert trees.at[:4].tolist() == [9.5, 2.0, 0.0, 0.0]
    assert trees.steps[:, :3].tolist() == [[1, 1, 0], [4, 2, 0]]
    assert trees.feature[:6].tolist() == [0, 1, 0, 0, 1, 0]


def test_a_tree_that_asks_for_an_unknown_feature_is_refused() -> None:
    with pytest.raises(KeyError, match="year"):
        load_trees(forest(*[TREE] * FOLDS), ["size"])


def test_features_are_rounded_and_what_is_missing_is_far_below() -> None:
    made = as_features({"size": np.array([1.00049, 1.00051, np.nan]), "year": np.array([0.0, 1.0, 2.0])})
    assert made.tolist() == [[1.0, 0.0], [1.001, 1.0], [-9.0, 2.0]]
