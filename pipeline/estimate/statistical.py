"""Statistical: a regression on what is known of a model, for models whose compute no physical method gives.

log10 C = anchor + x · b: the anchor is the base model's compute, chips × hours × peak × 0.35, or 6 · N · D, whichever is
known first, else a trend by date; x are date, numbers, words and what of them hold for that anchor (features.py). b is
fitted by iteratively reweighted least squares with weights 1 / (r² + s²) (Huber & Ronchetti 2009, Robust Statistics,
§7.8; the likelihood of Student's t with one degree of freedom) and a ridge penalty: where most published values are the
anchor exactly and some are far off, it finds the many instead of the mean. Each model is predicted by coefficients
fitted without its family.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.estimate.features import (
    FOLDS,
    STARTS,
    anchors,
    common_words,
    design,
    folds,
    is_word,
    log_numbers,
    starts,
)
from pipeline.estimate.result import join_words, make_result, written

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

METHOD = "statistical"
BAND_DEX = 1.5  # half-width of the 90 % interval where there is no calibrated one
PENALTY = 60.0  # of 5, 20 and 60, with SCALE_DEX of 0.1, 0.2 and 0.4: out of fold all lie within 0.03 of each other
SCALE_DEX = 0.2  # s: residuals well below it count alike
ROUNDS = 12
LEAST_ROWS = 15  # a word that fewer models have gets no coefficient
DIGITS = 4  # decimals of a coefficient, and significant digits of an estimate
INPUTS = ["publication_date", "parameters", "parameters_active", "training_tokens", "dataset_size", "epochs",
          "hardware_quantity", "training_hours", "chip_hours", "batch_size", "finetune_compute_flop", "base_model"]  # fmt: skip


def predict(rows: pd.DataFrame, base_flop: pd.Series, coefficients: pd.DataFrame) -> pd.DataFrame:
    """value, low, high (FLOP), formula, assumptions, fields, reason per row. `base_flop` is the FLOP of the base models
    by the index of `rows`, `coefficients` as `fit` gives them: a row per name, a column per fold."""
    import numpy as np
    import pandas as pd

    logs = log_numbers(rows, base_flop)
    start = starts(rows, logs)
    matrix, names = design(rows, logs, start, [name for name in coefficients.index if is_word(name)])
    by_fold = matrix @ coefficients.reindex(names).fillna(0).to_numpy()
    anchor = anchors(rows, logs, start)
    change = by_fold[np.arange(len(rows)), folds(rows)]
    value = _rounded(anchor + change, rows.index)
    parts = {
        "formula": written(_rounded(anchor, rows.index)) + " FLOP × " + written(_rounded(change, rows.index)),
        "assumptions": pd.Series(np.array(STARTS, dtype=object)[start], index=rows.index, dtype="str"),
        "fields": join_words({name: rows[name].notna() for name in INPUTS}, rows.index),
    }
    return make_result(value, parts, value * 0 + BAND_DEX, pd.Series("", index=rows.index, dtype="str"))


def fit(rows: pd.DataFrame, base_flop: pd.Series) -> pd.DataFrame:
    """The coefficients from the rows with a published value: a column per fold, fitted without the fold's families."""
    import numpy as np
    import pandas as pd

    from pipeline.estimate.rows import FIELD

    known = rows[FIELD].notna()
    rows, base_flop = rows[known], base_flop[known]
    logs = log_numbers(rows, base_flop)
    start = starts(rows, logs)
    matrix, names = design(rows, logs, start, common_words(rows, LEAST_ROWS))
    target = np.log10(rows[FIELD].to_numpy()) - anchors(rows, logs, start)
    fold = folds(rows)
    columns = {str(k): _fit_robust(matrix[fold != k], target[fold != k]) for k in range(FOLDS)}
    return pd.DataFrame(columns, index=pd.Index(names, name="name")).round(DIGITS)


def _fit_robust(matrix: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The coefficients that minimise Σ log(s² + r²) + ridge, from the least-squares ones on."""
    import numpy as np

    weights, ridge = np.ones(len(target)), PENALTY * np.eye(matrix.shape[1])
    for _ in range(ROUNDS + 1):
        weighted = matrix.T * weights
        found = np.linalg.solve(weighted @ matrix + ridge, weighted @ target)
        weights = 1 / ((target - matrix @ found) ** 2 + SCALE_DEX**2)
    return found


def _rounded(dex: np.ndarray, index: pd.Index) -> pd.Series:
    """10^dex to DIGITS significant digits: what machines differ in does not show."""
    import numpy as np
    import pandas as pd

    return written(pd.Series(10 ** np.clip(dex, -30, 30), index=index)).astype("float64")
