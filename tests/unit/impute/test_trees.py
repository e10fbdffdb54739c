"""Forests as tables: our walk gives what scikit-learn gives, no row is predicted by a tree that saw its fold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pyarrow import BufferReader, csv
from sklearn.ensemble import RandomForestRegressor

from pipeline.impute.calibration import grow as growing
from pipeline.impute.calibration.grow import Rows, grow
from pipeline.impute.flop.calibration_tables import as_csv
from pipeline.impute.flop.methods.features import FOLDS
from pipeline.impute.flop.trees import UNKNOWN, as_features, load_trees, walk

NAMES = ["size", "year", "kind"]


@pytest.fixture(autouse=True)
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing, "TREES", 5)


def sample(n: int = 600) -> Rows:
    draw = np.random.default_rng(7)
    columns = {"size": draw.normal(9, 2, n), "year": draw.uniform(0, 8, n), "kind": draw.integers(0, 2, n) * 1.0}
    columns["size"][::10] = np.nan
    target = np.nan_to_num(columns["size"], nan=5) + columns["year"] / 4 + draw.normal(0, 0.3, n)
    return Rows(columns, target, draw.uniform(0.5, 1, n), draw.integers(0, FOLDS, n), np.arange(n) % 7 > 0)


def test_the_walk_of_the_stored_trees_ends_where_that_of_scikit_learn_does() -> None:
    rows = sample()
    quarters = {name: np.round(values * 4) / 4 for name, values in rows.columns.items()}
    rows = rows._replace(columns=quarters)  # and what lies between two of them are exact in any format
    read = csv.read_csv(BufferReader(as_csv(grow(rows)).encode())).to_pandas()
    features, trees = as_features(rows.columns), load_trees(read, NAMES)
    about = {"max_leaf_nodes": growing.MOST_LEAVES, "max_features": growing.FEATURES, "min_samples_leaf": 6}
    for fold in range(FOLDS):
        use, own = rows.train & (rows.fold != fold), rows.fold == fold
        forest = RandomForestRegressor(n_estimators=growing.TREES, random_state=growing.SEED, **about)
        forest.fit(features[use], rows.target[use], sample_weight=rows.weight[use])
        ends = walk(trees, features[own], rows.fold[own])
        for mine, theirs in zip(ends.T, forest.apply(features[own]).T, strict=True):
            pairs = set(zip(mine, theirs, strict=True))
            assert len(pairs) == len(set(mine)) == len(set(theirs)), "the same rows share a leaf"


def test_a_row_goes_left_where_its_feature_is_at_most_the_threshold() -> None:
    nodes = {"tree": [0] * 3, "feature": ["size", "", ""], "at": [5.0, None, None], "right": [2, None, None]}
    one = pd.DataFrame(nodes | {"value": [None, -1.0, 1.0]})
    table = pd.concat([one.assign(tree=number) for number in range(FOLDS)], ignore_index=True)
    features = as_features({"size": np.array([5.0, 5.0004, 5.001, np.nan])})
    trees = load_trees(table, ["size"])
    found = trees.leaf[walk(trees, features, np.array([0, 1, 4, 2])), 0]
    assert found.ravel().tolist() == [-1, -1, 1, -1], "rounded to three decimals; what is missing is less than any size"
    assert UNKNOWN < 0


def test_no_tree_of_a_fold_has_seen_a_row_of_it_or_one_that_may_not_be_used() -> None:
    rows = sample()
    hidden = (rows.fold == 2) | ~rows.train
    changed = rows._replace(target=np.where(hidden, 99.0, rows.target))
    before, after = (grow(data) for data in (rows, changed))
    same, others = before["tree"] % FOLDS == 2, before["tree"] % FOLDS != 2
    pd.testing.assert_frame_equal(
        before[same].reset_index(drop=True), after[after["tree"] % FOLDS == 2].reset_index(drop=True)
    )
    assert as_csv(before[others]) != as_csv(after[after["tree"] % FOLDS != 2])


def test_the_forest_is_a_random_forest() -> None:
    """A guard against a change of what scikit-learn means by its options: the cuts are those of its own forest."""
    rows = sample()
    table = grow(rows)
    use = rows.train & (rows.fold != 0)
    forest = RandomForestRegressor(
        n_estimators=growing.TREES,
        max_leaf_nodes=growing.MOST_LEAVES,
        max_features=growing.FEATURES,
        min_samples_leaf=6,
        random_state=0,
    ).fit(as_features(rows.columns)[use], rows.target[use], sample_weight=rows.weight[use])
    first = table[table["tree"] == 0]
    assert len(first) == forest.estimators_[0].tree_.node_count
    assert first["feature"].iloc[0] == NAMES[forest.estimators_[0].tree_.feature[0]]
