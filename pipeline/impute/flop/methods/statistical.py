"""Statistical: one regression on what is known about a model, for models whose compute no physical method gives.

log10 C = 21 + x · b, where x has date, numbers and words (features.py). b is fitted by iteratively reweighted least
squares with weights 1 / (1 + r²), r in dex (the likelihood of Student's t with one degree of freedom; Huber & Ronchetti
2009, Robust Statistics, §7.8) and a ridge penalty, so that a few published values that are far off do not move it.
Where the base model's compute, chips × hours × peak × 0.35 or, for a language model, 6 · N · D is known, the first of
these is the estimate, times the median factor by which published values differ from it. Each model is predicted with
coefficients fitted without its organisation.
"""

import numpy as np
import pandas as pd

from pipeline.impute.digits import DECIMALS, log10
from pipeline.impute.flop.methods import features
from pipeline.impute.flop.methods.features import FOLDS, NEAR, STARTS
from pipeline.impute.flop.result import join_words, make_result, rounded, written
from pipeline.impute.flop.rows import FIELD

METHOD = "statistical"
BAND_DEX = 1.5  # half-width of the 90 % interval where there is no calibrated one
TYPICAL_DEX = 21.0
PENALTY, INTERCEPT_PENALTY = 2.0, 0.01
ROUNDS = 13  # of a robust fit
LEAST_ROWS = 15  # a word that fewer rows have gets no coefficient, and a start that fewer have no factor
DIGITS = 4  # decimals of a coefficient
INPUTS = ["publication_date", "parameters", "parameters_active", "training_tokens", "dataset_size", "epochs",
          "hardware_quantity", "training_hours", "chip_hours", "batch_size", "finetune_compute_flop",
          "base_model"]  # fmt: skip


def predict(rows: pd.DataFrame, base_flop: pd.Series, coefficients: pd.DataFrame) -> pd.DataFrame:
    """value, low, high (FLOP), formula, assumptions, fields, reason per row. `base_flop` is the FLOP of the base models
    by the index of `rows`, `coefficients` as `fit` gives them."""
    logs = features.log_numbers(rows, base_flop)
    start, fold = features.starts(rows, logs), features.folds(rows)
    names = coefficients.loc["regression"].index
    columns = features.design(rows, logs, [name for name in names if name.partition(":")[0] in features.WORDS])
    table = coefficients.loc["regression"].reindex(list(columns)).fillna(0).to_numpy()
    change = (np.array(list(columns.values())).T @ table)[np.arange(len(rows)), fold]
    near, anchor = start < NEAR, features.anchors(logs, start)
    factors = coefficients.loc["factor"].to_numpy()[np.minimum(start, NEAR - 1), fold]
    anchor, change = np.where(near, anchor, TYPICAL_DEX), np.where(near, factors, change)
    return make_result(
        _flop(anchor + change, rows.index),
        BAND_DEX,
        pd.Series("", index=rows.index, dtype="str"),
        formula=written(_flop(anchor, rows.index)) + " FLOP × " + written(_flop(change, rows.index)),
        assumptions=pd.Series(np.array(STARTS, dtype=object)[start], index=rows.index, dtype="str"),
        fields=join_words({name: rows[name].notna() for name in INPUTS}, rows.index),
    )


def fit(rows: pd.DataFrame, base_flop: pd.Series, share: pd.Series) -> pd.DataFrame:
    """The coefficients by part (`regression`, `factor`) and name, from the rows with a published value, of which each
    counts its `share` (0: is left out): one column per fold, fitted without its models.

    Models that are notable for their cost alone are left out of the regression: the cost is computed from the FLOP."""
    known = rows[FIELD].notna() & (share > 0)
    rows, base_flop = rows[known], base_flop[known]
    by_cost = rows["is_notable"].fillna(False) & rows["notability_criteria"].eq(features.COSTLY)
    weight = share[known].to_numpy() * ~by_cost.to_numpy(dtype="bool")
    logs = features.log_numbers(rows, base_flop)
    start, fold, dex = features.starts(rows, logs), features.folds(rows), log10(rows[FIELD].to_numpy())
    columns = features.design(rows, logs, features.common_words(rows[weight > 0], LEAST_ROWS))
    matrix, ridge = np.column_stack(list(columns.values())), PENALTY * np.eye(len(columns))
    ridge[0, 0] = INTERCEPT_PENALTY
    kept = [(fold != k) & (weight > 0) for k in range(FOLDS)]
    made = [fit_robust(matrix[use], dex[use] - TYPICAL_DEX, weight[use], ridge) for use in kept]
    off = dex - features.anchors(logs, start)
    factors = [[_median(off[(start == place) & (fold != k)]) for place in range(NEAR)] for k in range(FOLDS)]
    names = list(map(str, range(FOLDS)))
    parts = {"regression": pd.DataFrame(np.transpose(made), list(columns), names),
             "factor": pd.DataFrame(np.transpose(factors), STARTS[:NEAR], names)}  # fmt: skip
    return pd.concat(parts, names=["part", "name"]).round(DECIMALS).round(DIGITS)


def fit_robust(matrix: np.ndarray, target: np.ndarray, own: np.ndarray, ridge: np.ndarray) -> np.ndarray:
    """The coefficients that minimise Σ own · log(1 + r²) + b · ridge · b, starting from least squares, by iteratively
    reweighted least squares."""
    weights = own
    for _ in range(ROUNDS):
        weighted = matrix.T * weights
        found = np.linalg.solve(weighted @ matrix + ridge, weighted @ target)
        weights = own / (1 + (target - matrix @ found) ** 2)
    return found


def _median(errors: np.ndarray) -> float:
    return float(np.median(errors)) if len(errors) >= LEAST_ROWS else 0.0


def _flop(dex: np.ndarray, index: pd.Index) -> pd.Series:
    return rounded(pd.Series(10 ** np.clip(dex.round(DECIMALS), -30, 30), index=index))
