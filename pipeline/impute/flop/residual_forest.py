"""How far from an estimate the training compute may lie: quantiles of log10(published ÷ estimate).

Half of the distribution is a forest of such residuals that looks at the method, its assumptions, sizes, and how far the
other predictors lie from the estimate (quantile regression forests: Meinshausen 2006, JMLR 7:983); half are the errors
of estimates made the same way, either side alike (conformal.py). The forest alone is too sure where models are unlike
those that it has seen. Where forward passes were counted from what was read, the errors of such counts stand alone:
what differs then is the published value more often than the count.

Last, the distances from the median are multiplied by the factor with which 90 % of the models that need a method would
have been inside while the forest grew without them (`scale`; Romano et al. 2019, arXiv:1905.03222).
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pipeline.impute.digits import log10
from pipeline.impute.flop import conformal, formulas
from pipeline.impute.flop.calibration_tables import Calibrated
from pipeline.impute.flop.conformal import LEAST_DEX, POINTS
from pipeline.impute.flop.methods import base_model, forward_pass, hardware, operation_count, statistical
from pipeline.impute.flop.methods.features import Columns, domain_groups, folds, log_numbers, starts, years
from pipeline.impute.flop.result import has_word, rounded
from pipeline.impute.flop.trees import Trees, as_features, load_trees, walk
from traincompute.base.quantiles import SHARES

METHODS = [base_model.METHOD, operation_count.METHOD, hardware.METHOD, statistical.METHOD]
ASSUMED = ["one epoch", operation_count.GUESSED_UNIT, *forward_pass.ASSUMED, "utilisation 0.30", "utilisation 0.40"]
NUMBERS = ["parameters", "dataset", "epochs", "product", "count", "base", "chips", "hours"]
GROUPS = ["language", "multimodal", "vision", "image generation", "games", "biology"]
OWN = ["start", "year", *NUMBERS, *GROUPS, "industry", "closed", "numbers known"]
QUANTILES = [f"dex_{100 * share:02.0f}" for share in SHARES]
LOW, MEDIAN, HIGH = 0, 2, 4  # places in SHARES
# A leaf has the middles of the fifths of its residuals, which all count alike
LEAF_SHARES = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
LEAF = [f"dex_{100 * share:02.0f}" for share in LEAF_SHARES]
AT_ONCE = 1_000  # rows: few enough for the cache of a processor
DIGITS = 3
MIDDLE = {f"quantile_{level}": f"dex_{level}" for level in (25, 50, 75)}
PREDICTORS = {"regression": statistical.METHOD, operation_count.METHOD: operation_count.METHOD,
              hardware.METHOD: hardware.METHOD}  # fmt: skip


def columns(made: pd.DataFrame, about: pd.DataFrame) -> Columns:
    """What the forest looks at, for the rows of `made` (model_id, method, assumptions, value, inputs_dex); `about` has
    by model_id the PREDICTORS' values as log10 FLOP, and the columns OWN."""
    value, known = log10(made["value"].to_numpy()), about.reindex(made["model_id"])
    texts = made["assumptions"].fillna("")
    found: Columns = {"method": made["method"].map({name: place for place, name in enumerate(METHODS)}).to_numpy()}
    found |= {word: has_word(texts, word).to_numpy() for word in ASSUMED}
    found |= {"assumptions": np.where(texts == "", 0, texts.str.count(";") + 1), "value": value}
    found |= {f"to {name}": known[name].to_numpy() - value for name in PREDICTORS}
    found |= {"inputs": made["inputs_dex"].fillna(0).to_numpy()}
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
    counted = made["assumptions"].eq(forward_pass.READ).to_numpy()
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
    return np.asarray(np.sort(values, axis=1)[:, places])


def ends(found: pd.DataFrame, inputs_dex: pd.Series) -> pd.DataFrame:
    """`low` and `high`, the ends of the 90 % interval in dex from the estimate, which lies inside it: an estimate is no
    more certain than what it is made from (`inputs_dex`)."""
    least = inputs_dex.fillna(0).clip(lower=LEAST_DEX)
    low, high = found[QUANTILES[LOW]], found[QUANTILES[HIGH]]
    return pd.DataFrame({"low": np.minimum(low, -least), "high": np.maximum(high, least)}).where(low.notna())


def with_quantiles(made: pd.DataFrame, about: pd.DataFrame, calibrated: Calibrated) -> pd.DataFrame:
    """The estimates (model_id, method, assumptions, value, low, high, inputs_dex) with quantiles, and with low and high
    replaced, where a calibrated method has a value; bounds stay. `about` as uncertainty_features gives it."""
    known = made[made["value"].notna() & made["method"].isin(METHODS)]
    seen, fold = columns(known, about), about["fold"].reindex(known["model_id"]).to_numpy()
    found = quantiles(known, seen, fold, calibrated.spreads, calibrated.intervals)
    dex = in_order(found, known["inputs_dex"])
    flop = {name: rounded(formulas.upper(known["value"], dex[name])) for name in dex}
    new = pd.DataFrame(flop).reindex(made.index)
    return made.assign(**new.where(new.notna(), made.reindex(columns=new.columns)))


def in_order(found: pd.DataFrame, inputs_dex: pd.Series) -> pd.DataFrame:
    """low, MIDDLE and high in dex from the value, which lies between low and high."""
    return ends(found, inputs_dex).join(found[list(MIDDLE.values())].set_axis(list(MIDDLE), axis="columns"))


def above_base(table: pd.DataFrame) -> dict[str, float]:
    """low, MIDDLE and high in dex above the base's compute; empty where too few models with a value are of this
    kind."""
    line = table[table["assumptions"] == base_model.ALONE]
    if line.empty:
        return {}
    errors = line[POINTS].to_numpy()[0]
    found = {name: float(np.interp(int(name[-2:]) / 100, conformal.SHARES, errors)) for name in MIDDLE}
    return {"low": 0.0, **found, "high": float(line["half_width_90"].iloc[0])}


def uncertainty_features(rows: pd.DataFrame, base_flop: pd.Series, values: Mapping[str, pd.Series]) -> pd.DataFrame:
    """By model_id: `fold`, log10 FLOP of the regression and the physical methods (null where one says nothing), and the
    columns OWN. `base_flop` are the FLOP of the base models, `values` those by method, aligned with `rows`."""
    said = {name: log10(values[method].to_numpy()) for name, method in PREDICTORS.items()}
    about = {"fold": folds(rows), **said, **_own_columns(rows, base_flop)}
    return pd.DataFrame(about, index=pd.Index(rows["model_id"]))


def _own_columns(rows: pd.DataFrame, base_flop: pd.Series) -> Columns:
    """The columns OWN: numbers as log10 (null where unknown), and 0 or 1 for kinds."""
    logs, group = log_numbers(rows, base_flop), domain_groups(rows)
    made = {"start": starts(rows, logs), "year": years(rows), **{name: logs[name] for name in NUMBERS}}
    made |= {name: group == name for name in GROUPS}
    made |= {"industry": has_word(rows["organization_category"], "industry")}
    made |= {"closed": rows["open_weights"].eq(False).fillna(False), "numbers known": logs.notna().sum(axis=1)}
    return {name: np.asarray(values, dtype="float64") for name, values in made.items()}
