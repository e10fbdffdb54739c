"""Statistical: a regression on what is known about a model, for models whose compute no physical method gives.

log10 C = anchor + x · b. Two of them: `near`, where the anchor is the base model's compute, chips × hours × peak × 0.35
or, for a language model, 6 · N · D, the first of these that is known; and `free` for all others, where these are just
features like date, numbers and words (features.py). b is fitted by iteratively reweighted least squares with weights
1 / (1 + (r / s)²) (the likelihood of Student's t with one degree of freedom; Huber & Ronchetti 2009, Robust Statistics,
§7.8) and a ridge penalty: where most published values equal the anchor exactly and some are far off, it finds the
majority instead of the mean. Each model is predicted with coefficients fitted without its organisation.
"""

import numpy as np
import pandas as pd

from pipeline.impute.digits import DECIMALS, log10
from pipeline.impute.flop.methods import features
from pipeline.impute.flop.result import join_words, make_result, rounded, written
from pipeline.impute.flop.rows import FIELD

METHOD = "statistical"
BAND_DEX = 1.5  # half-width of the 90 % interval where there is no calibrated one
# Ridge penalty and s in dex: residuals well below s count alike. Out of fold, penalties from 1 to 8 and s from 0.2 to
# 1.5 give shares within a factor of 3 that differ by at most 0.03; the free fit needs a wide s to be of any use.
PENALTY = {"near": 2.4, "free": 1.0}
SCALE_DEX = {"near": 0.2, "free": 1.5}
NEAR_WEIGHT = 0.5  # the weight, in the free regression, of rows that start near
INTERCEPT_PENALTY = 0.01
LEAST_ROWS = 15  # a word that fewer models have gets no coefficient
DIGITS = 4  # decimals of a coefficient
INPUTS = [
    "publication_date",
    "parameters",
    "parameters_active",
    "training_tokens",
    "dataset_size",
    "epochs",
    "hardware_quantity",
    "training_hours",
    "chip_hours",
    "batch_size",
    "finetune_compute_flop",
    "base_model",
]


def predict(rows: pd.DataFrame, base_flop: pd.Series, coefficients: pd.DataFrame) -> pd.DataFrame:
    """value, low, high (FLOP), formula, assumptions, fields, reason per row. `base_flop` is the FLOP of the base models
    by the index of `rows`, `coefficients` as `fit` gives them."""
    logs = features.log_numbers(rows, base_flop)
    start, fold = features.starts(rows, logs), features.folds(rows)
    words = [
        name
        for name in coefficients.index.get_level_values("name").unique()
        if name.partition(":")[0] in features.WORDS
    ]
    both = features.designs(rows, logs, start, words)
    near, free = (_by_fold(both[part], pd.DataFrame(coefficients.loc[part]), fold) for part in PENALTY)
    anchor, change = features.anchors(logs, start), np.where(start < features.NEAR, near, free)
    return make_result(
        _flop(anchor + change, rows.index),
        BAND_DEX,
        pd.Series("", index=rows.index, dtype="str"),
        formula=written(_flop(anchor, rows.index)) + " FLOP × " + written(_flop(change, rows.index)),
        assumptions=pd.Series(np.array(features.STARTS, dtype=object)[start], index=rows.index, dtype="str"),
        fields=join_words({name: rows[name].notna() for name in INPUTS}, rows.index),
    )


def _by_fold(columns: features.Columns, coefficients: pd.DataFrame, fold: np.ndarray) -> np.ndarray:
    table = coefficients.reindex(list(columns)).fillna(0).to_numpy()
    each = np.array(list(columns.values())).T @ table  # side by side, the columns would be copied number by number
    return np.asarray(each[np.arange(len(fold)), fold])


def fit(rows: pd.DataFrame, base_flop: pd.Series, share: pd.Series) -> pd.DataFrame:
    """The coefficients from the rows with a published value, of which each counts its `share` (0: is left out), by part
    and name: one column per fold, fitted without its models."""
    known = rows[FIELD].notna() & (share > 0)
    rows, base_flop, counts = rows[known], base_flop[known], share[known].to_numpy()
    logs = features.log_numbers(rows, base_flop)
    start, fold = features.starts(rows, logs), features.folds(rows)
    both = features.designs(rows, logs, start, features.common_words(rows, LEAST_ROWS))
    dex = log10(rows[FIELD].to_numpy())
    weight = {"near": (start < features.NEAR) * 1.0, "free": np.where(start < features.NEAR, NEAR_WEIGHT, 1.0) * counts}
    target = {"near": dex - features.anchors(logs, start), "free": dex - features.TYPICAL_DEX}
    tables = {}
    for part, columns in both.items():
        matrix = np.column_stack(list(columns.values()))
        kept = [(fold != k) & (weight[part] > 0) for k in range(features.FOLDS)]
        found = [_fit_robust(matrix[use], target[part][use], weight[part][use], part) for use in kept]
        tables[part] = pd.DataFrame(dict(zip(map(str, range(features.FOLDS)), found, strict=True)), index=list(columns))
    return pd.concat(tables, names=["part", "name"]).round(DECIMALS).round(DIGITS)


def _fit_robust(matrix: np.ndarray, target: np.ndarray, own: np.ndarray, part: str) -> np.ndarray:
    """The coefficients that minimise Σ own · s² · log(1 + r² / s²) + penalty · |b|², starting from least squares; the
    intercept, the first, is hardly penalised."""
    ridge = PENALTY[part] * np.eye(matrix.shape[1])
    ridge[0, 0] = INTERCEPT_PENALTY
    return features.fit_robust(matrix, target, own, ridge, SCALE_DEX[part])


def _flop(dex: np.ndarray, index: pd.Index) -> pd.Series:
    return rounded(pd.Series(10 ** np.clip(dex.round(DECIMALS), -30, 30), index=index))
