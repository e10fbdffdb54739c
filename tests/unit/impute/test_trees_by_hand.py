"""Trees as tables: which child a row goes to, and where it ends, on trees that can be walked by hand."""

from __future__ import annotations

from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.impute.calibration import grow as growing
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


# --- how they are grown


def test_a_tree_of_a_fold_has_the_quantiles_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a cut each tree is one leaf; of four numbers the tenth is the least, and 0.3 lies 0.7 of the way to the
    second."""
    monkeypatch.setattr(growing, "TREES", 2)
    target = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 99.0]) * 0.12
    fold, train = np.array([0, 1, 2, 3, 4, 4]), np.arange(6) < 5
    table = growing.grow(growing.Rows({"x": np.zeros(6)}, target, np.ones(6), fold, train))
    assert (table["tree"].tolist(), set(table["feature"])) == ([*range(2 * FOLDS)], {""})
    leaf = table[growing.residual_forest.LEAF]
    assert leaf.iloc[0].tolist() == leaf.iloc[FOLDS].tolist() == [0.12, 0.2, 0.3, 0.4, 0.48]
    assert leaf.iloc[4].tolist() == [0, 0.08, 0.18, 0.28, 0.36], "0.12 · 0.7, 1.5 and 2.3, to two decimals"
    uneven = growing._leaves(np.array([7, 4, 7, 7]), np.array([3.0, 5.0, 1.0, 2.0]), np.array([1.0, 1.0, 1.0, 2.0]))
    assert uneven.loc[7].tolist() == pytest.approx([1, 1 + 0.175 / 0.375, 2, 2 + 0.2 / 0.375, 3])
    assert uneven.loc[4].tolist() == [5] * 5


def test_the_forest_has_forty_trees_and_small_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """As docs/method.md says; each cut may choose from half of the features, and the seed is always the same."""

    def forest(**given: Any) -> None:
        raise RuntimeError(given)

    monkeypatch.setattr(growing, "RandomForestRegressor", forest)
    nothing = np.zeros(1)
    with pytest.raises(RuntimeError) as told:
        growing.grow(growing.Rows({"x": nothing}, nothing, nothing, nothing, nothing > 0))
    about = {"n_estimators": 40, "random_state": 0, "max_leaf_nodes": 160, "max_features": 0.5, "min_samples_leaf": 6}
    assert told.value.args == (about,)


def test_a_tree_is_written_with_the_left_child_below_its_parent() -> None:
    """A threshold is rounded down to three decimals; the error of a float32 does not count."""
    left, right = np.array([1, 3, -1, -1, -1]), np.array([2, 4, -1, -1, -1])
    threshold = np.array([1.00071, 0.4999999, -2.0, -2.0, -2.0])
    tree = Some(children_left=left, children_right=right, feature=np.array([1, 0, -2, -2, -2]), threshold=threshold)
    nodes = growing._nodes(tree, ["year", "size"])
    assert nodes["feature"].tolist() == ["size", "year", "", "", ""]
    assert nodes["at"].tolist() == pytest.approx([1.0, 0.5, *[np.nan] * 3], nan_ok=True)
    assert nodes["right"].fillna(0).tolist() == [4, 2, 0, 0, 0]
