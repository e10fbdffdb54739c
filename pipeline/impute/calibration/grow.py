"""Grows a forest with scikit-learn and writes its trees as a table (see pipeline/impute/flop/trees.py).

scikit-learn only decides where to cut. Features are rounded, so a threshold may be rounded down to the next one: the
same rows go left. The numbers in the leaves come from the rows that our own walk leads there. So the table alone is the
forest, here and in the build."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

from pipeline.impute.digits import decimals
from pipeline.impute.flop import residual_forest
from pipeline.impute.flop.methods.features import FOLDS, Columns
from pipeline.impute.flop.trees import DECIMALS, NODE, as_features, load_trees, walk

# For each fold. With forty trees of residuals instead of ten the score is 1 to 3 % better and depends less on the seed
# (docs/method.md).
TREES = 40
MOST_LEAVES = 160
FEATURES = 0.5  # the share of features that a cut may choose from
SEED = 0
LEAF_DECIMALS = 2
LEAST_IN_LEAF = 6


class Rows(NamedTuple):
    """What a forest learns from: features, what to predict, weights, folds, and which rows it may use."""

    columns: Columns
    target: np.ndarray
    weight: np.ndarray
    fold: np.ndarray
    train: np.ndarray


def grow(rows: Rows) -> pd.DataFrame:
    """A random forest for each fold, with quantiles of the target in each leaf (residual_forest.LEAF)."""
    about = {"max_leaf_nodes": MOST_LEAVES, "max_features": FEATURES, "min_samples_leaf": LEAST_IN_LEAF}
    features, nodes, used = as_features(rows.columns), {}, [rows.train & (rows.fold != fold) for fold in range(FOLDS)]
    for fold, use in enumerate(used):
        forest = RandomForestRegressor(n_estimators=TREES, random_state=SEED, **about)
        forest.fit(features[use], rows.target[use], sample_weight=rows.weight[use])
        for place, tree in enumerate(forest.estimators_):
            number = FOLDS * place + fold
            nodes[number] = _nodes(tree.tree_, list(rows.columns)).assign(tree=number)
    table = pd.concat([nodes[number] for number in sorted(nodes)], ignore_index=True)[NODE]
    trees, leaves = load_trees(table, list(rows.columns)), []
    for fold, use in enumerate(used):
        for ends in walk(trees, features[use], np.full(int(use.sum()), fold)).T:
            leaves.append(_leaves(ends, rows.target[use], rows.weight[use]))
    return table.join(decimals(pd.concat(leaves), LEAF_DECIMALS))


def _nodes(tree: Any, names: list[str]) -> pd.DataFrame:
    """feature, at, right of one tree of scikit-learn, the left child of each node in the next row."""
    left, right = tree.children_left, tree.children_right
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if left[node] != right[node]:  # those of a leaf are alike
            waiting += [right[node], left[node]]
    inner = (left != right)[order]
    feature = [names[index] if cuts else "" for index, cuts in zip(tree.feature[order], inner, strict=True)]
    # the largest value that a feature may have at or below each threshold; a millionth is the error of a float32
    down = np.round(np.floor(tree.threshold[order] * 10**DECIMALS + 1e-3) / 10**DECIMALS, DECIMALS)
    steps = pd.Series(np.argsort(order)[right[order]] - np.arange(len(order)), dtype="Int64").where(inner)
    return pd.DataFrame({"feature": feature, "at": np.where(inner, down, np.nan), "right": steps})


def _leaves(ends: np.ndarray, target: np.ndarray, weight: np.ndarray) -> pd.DataFrame:
    """By node, the weighted quantiles of the targets of the rows that end there."""
    order = np.argsort(ends, kind="stable")
    nodes, first = np.unique(ends[order], return_index=True)
    parts = [(target[part], weight[part]) for part in np.split(order, first[1:])]
    return pd.DataFrame([_quantiles(*part) for part in parts], nodes, residual_forest.LEAF)


def _quantiles(values: np.ndarray, weights: np.ndarray) -> list[float]:
    """The quantiles residual_forest.LEAF_SHARES, between the middles of the weights of two values in proportion."""
    order = np.argsort(values, kind="stable")
    values, weights = values[order], weights[order]
    middles = (np.cumsum(weights) - weights / 2) / weights.sum()
    return [float(value) for value in np.interp(residual_forest.LEAF_SHARES, middles, values)]
