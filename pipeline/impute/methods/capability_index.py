"""Capability index: one line by how capable a model is, when it was published, and whether its weights are closed.

log10 C = a + b · (index − 120) / 10 + c · (year − 2024.4) + d · closed. The index is the Epoch Capabilities Index, one
scale over many benchmarks (Ho et al. 2025, arXiv:2512.00193); that capability grows with the logarithm of compute, and
that less compute is needed each year, are the findings of Kaplan et al. 2020 (arXiv:2001.08361) and Ho et al. 2024
(arXiv:2403.05812). Coefficients by the robust fit of statistical.py, with less weight for an uncertain index. The
interval holds 50 and 90 % of the errors of models that are each predicted without their own owner."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.impute.intervals import weighted_quantile
from pipeline.impute.methods.statistical import fit_robust
from pipeline.impute.results import DECIMALS, FIELD, first_reason, log10, make_result, rounded

METHOD = "capability_index"
NAMES = ["constant", "index", "year", "closed"]
HALF_WIDTHS = {"half_width_50": 0.5, "half_width_90": 0.9}
MIDDLE_INDEX, STEP, MIDDLE_YEAR = 120.0, 10.0, 2024.4
LEAST_WIDTH = 3.0  # of an index's interval, below which all indices count alike
NORMAL_WIDTH = 5.0  # the interval of an index that counts once
PENALTY, DIGITS = 0.5, 4
LEAST_ROWS = 20
# A small model that learns from the outputs of a large one, or for one task, is not on the same line
UNLIKE = r"(?i)\b(?:distill\w*|coder|code|embed\w*)\b"
FIELDS = "capability_index;publication_date;open_weights"


def estimate(rows: pd.DataFrame, line: pd.DataFrame) -> pd.DataFrame:
    """The result (see make_result) with quantiles of each row of `rows` (models) that has an index; `line` as `fit`
    gives it."""
    rows = rows[rows["capability_index"].notna()]
    columns = _columns(rows)
    own = line.iloc[0] if len(line) else pd.Series(np.nan, [*NAMES, *HALF_WIDTHS])
    coefficients = own[NAMES].to_numpy(dtype="float64")
    value = rounded(pd.Series(10 ** (columns @ coefficients).round(DECIMALS), index=rows.index))
    reasons = {
        "needs a date of publication": rows["publication_date"].isna(),
        "needs a model that is not distilled, nor for code or embeddings alone": rows["name"].str.contains(UNLIKE),
        "needs more models with an index and a published value": pd.Series(not len(line), index=rows.index),
    }
    half, most = (own[name] for name in HALF_WIDTHS)
    middle = {f"quantile_{50 + 25 * side}": rounded(value * 10 ** (side * half)) for side in (-1, 0, 1)}
    a, b, c, d = coefficients
    form = "10^({:.4g} + {:.4g} × {:.4g} + {:.4g} × {:.4g} + {:.4g} × {:.0f} for closed weights) FLOP"
    texts = [form.format(a, b, index, c, year, d, closed).replace("+ -", "- ") for _, index, year, closed in columns]
    text, why = pd.Series(texts, index=rows.index, dtype="str"), first_reason(reasons, rows.index)
    return make_result(value, most, why, **middle, formula=text, assumptions="", fields=FIELDS)


def _columns(rows: pd.DataFrame) -> np.ndarray:
    """One row per model: 1, index in tens from MIDDLE_INDEX, years from MIDDLE_YEAR, whether closed."""
    index = (rows["capability_index"] - MIDDLE_INDEX) / STEP
    year = 2024 + (rows["publication_date"] - pd.Timestamp("2024-01-01")).dt.days / 365.25 - MIDDLE_YEAR
    closed = (~rows["open_weights"].fillna(True).astype("bool")).astype("float64")
    return np.column_stack([np.ones(len(rows)), index.round(DECIMALS), year.round(DECIMALS), closed])


def fit(rows: pd.DataFrame, train: pd.Series | np.ndarray) -> pd.DataFrame:
    """One row: the line (NAMES) and HALF_WIDTHS in dex, from the rows with an index and a published value of which
    `train` says those that may be used; no row where there are too few."""
    known = rows[FIELD].notna() & train & rows["capability_index"].notna() & rows["publication_date"].notna()
    rows = rows[known & ~rows["name"].str.contains(UNLIKE)]
    if len(rows) < LEAST_ROWS:
        return pd.DataFrame(columns=[*NAMES, *HALF_WIDTHS], dtype="float64")
    columns, dex, owner = _columns(rows), log10(rows[FIELD].to_numpy()), rows["owner"].to_numpy()
    width = (rows["capability_index_high"] - rows["capability_index_low"]).fillna(NORMAL_WIDTH).clip(lower=LEAST_WIDTH)
    weight, ridge = (NORMAL_WIDTH / width).to_numpy(), PENALTY * np.diag([0.0, 1.0, 1.0, 1.0])

    def line(use: np.ndarray) -> np.ndarray:
        return fit_robust(columns[use], dex[use], weight[use], ridge)

    far = np.concatenate([np.abs(dex - columns @ line(owner != name))[owner == name] for name in sorted(set(owner))])
    widths = [weighted_quantile(far, np.ones(len(far)), share) for share in HALF_WIDTHS.values()]
    table = pd.DataFrame([[*line(owner != ""), *widths]], columns=[*NAMES, *HALF_WIDTHS])
    return table.round(DECIMALS).round(DIGITS)
