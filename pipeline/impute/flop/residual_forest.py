"""How far from an estimate the training compute may lie: quantiles of log10(published ÷ estimate).

Half of the distribution is a forest of such residuals that looks at the method, its assumptions, sizes, and how far the
regression and the second opinion lie from the estimate (quantile regression forests: Meinshausen 2006, JMLR 7:983);
half are the errors of estimates made the same way, either side alike (conformal.py). The forest alone is too sure where
models are unlike those that it has seen. Where forward passes were counted from what was read, the errors of such counts
stand alone: what differs then is the published value more often than the count; so do those of the capability index.

Last, the distances from the median are multiplied by the factor with which 90 % of the models that need a method would
have been inside while the forest grew without them (`scale`; Romano et al. 2019, arXiv:1905.03222).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.base.digits import log10
from pipeline.impute.flop import conformal
from pipeline.impute.flop.conformal import LEAST_DEX, POINTS
from pipeline.impute.flop.methods import (
    base_model,
    capability_index,
    forward_pass,
    hardware,
    operation_count,
    statistical,
)
from pipeline.impute.flop.methods.features import Columns
from pipeline.impute.flop.result import has_word
from pipeline.impute.flop.trees import Trees, as_features, load_trees, walk
from traincompute.base.quantiles import SHARES

METHODS = [base_model.METHOD, operation_count.METHOD, hardware.METHOD, statistical.METHOD, capability_index.METHOD]
ASSUMED = ["one epoch", operation_count.GUESSED_UNIT, *forward_pass.ASSUMED, "utilisation 0.30", "utilisation 0.40"]
OWN = ["start", "year", "parameters", "dataset", "epochs", "product", "count", "base", "chips", "hours", "language",
       "multimodal", "vision", "image generation", "games", "biology", "industry", "closed", "numbers known"]  # fmt: skip
QUANTILES = [f"dex_{100 * share:02.0f}" for share in SHARES]
LOW, MEDIAN, HIGH = 0, 2, 4  # places in SHARES
# A leaf has the middles of the fifths of its residuals, which all count alike
LEAF_SHARES = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
LEAF = [f"dex_{100 * share:02.0f}" for share in LEAF_SHARES]
AT_ONCE = 1_000  # rows: few enough for the cache of a processor
DIGITS = 3


def columns(made: pd.DataFrame, about: pd.DataFrame) -> Columns:
    """What the forest looks at, for the rows of `made` (model_id, method, assumptions, value, inputs_dex); `about` has by
    model_id `regression`, `second`, `second_spread`, the methods' values as log10 FLOP, and the columns OWN."""
    value, known = log10(made["value"].to_numpy()), about.reindex(made["model_id"])
    texts = made["assumptions"].fillna("")
    found: Columns = {"method": made["method"].map({name: place for place, name in enumerate(METHODS)}).to_numpy()}
    found |= {word: has_word(texts, word).to_numpy() for word in ASSUMED}
    found |= {"assumptions": np.where(texts == "", 0, texts.str.count(";") + 1), "value": value}
    others = ["regression", "second", operation_count.METHOD, hardware.METHOD]
    found |= {f"to {name}": known[name].to_numpy() - value for name in others}
    found |= {"second spread": known["second_spread"].to_numpy(), "inputs": made["inputs_dex"].fillna(0).to_numpy()}
    found |= {name: known[name].to_numpy() for name in OWN}
    return {name: np.asarray(values, dtype="float64") for name, values in found.items()}


def quantiles(
    made: pd.DataFrame, seen: Columns, fold: np.ndarray, forest: pd.DataFrame, alike: pd.DataFrame
) -> pd.DataFrame:
    """The columns QUANTILES in dex by the index of `made` (method, assumptions); null for a method without errors.
    `seen` as `columns` gives it, `forest` and `alike` the tables of trees and of intervals."""
    line, found = conformal.alike_rows(made, alike), np.full((len(made), len(SHARES)), np.nan)
    trees, features = load_trees(forest, list(seen)), as_features(seen)
    errors = np.concatenate([alike[POINTS], -alike[POINTS]], axis=1)
    counted = (made["assumptions"].eq(forward_pass.READ) | made["method"].eq(capability_index.METHOD)).to_numpy()
    alone, mixed = (np.flatnonzero((line >= 0) & rows) for rows in (counted, ~counted))
    found[alone] = shares_of(errors[line[alone]])
    for some in np.split(mixed, range(AT_ONCE, len(mixed), AT_ONCE)):
        found[some] = _mixed(trees, features[some], fold[some], errors[line[some]])
    scale = np.append(alike["scale"].to_numpy(), np.nan)[line]
    middle = found[:, [MEDIAN]]
    return pd.DataFrame((middle + (found - middle) * scale[:, None]).round(DIGITS), made.index, QUANTILES)


def _mixed(trees: Trees, features: np.ndarray, fold: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """SHARES of the numbers in a row's leaves and its `errors`, these repeated until they are about as many."""
    leaves = trees.leaf.take(walk(trees, features, fold), axis=0)
    numbers = leaves.reshape(len(leaves), np.prod(leaves.shape[1:]))
    times = max(1, round(numbers.shape[1] / errors.shape[1]))
    return shares_of(np.concatenate([numbers, np.repeat(errors, times, axis=1)], axis=1))


def shares_of(values: np.ndarray) -> np.ndarray:
    """For each row the smallest of its values with at least each of SHARES of them at or below it."""
    places = np.ceil(SHARES * values.shape[1] * (1 - 1e-12)).astype("int64") - 1
    found: np.ndarray = np.sort(values, axis=1)[:, places]
    return found


def ends(found: pd.DataFrame, inputs_dex: pd.Series) -> pd.DataFrame:
    """`low` and `high`, the ends of the 90 % interval in dex from the estimate, which lies inside it: an estimate is no
    more certain than what it is made from (`inputs_dex`)."""
    least = inputs_dex.fillna(0).clip(lower=LEAST_DEX)
    low, high = found[QUANTILES[LOW]], found[QUANTILES[HIGH]]
    return pd.DataFrame({"low": np.minimum(low, -least), "high": np.maximum(high, least)}).where(low.notna())
