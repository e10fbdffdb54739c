"""Capability index: a regression of the training compute on how capable a model is, when it was published, and whether
its weights are closed.

log10 C = a + b · (index − 120) / 10 + c · (year − 2024.4) + d · closed. The index is the Epoch Capabilities Index, one
scale over many benchmarks (Ho et al. 2025, arXiv:2512.00193); that capability grows with the logarithm of compute, and
that less compute is needed each year, are the findings of Kaplan et al. 2020 (arXiv:2001.08361) and Ho et al. 2024
(arXiv:2403.05812). Coefficients by iteratively reweighted least squares with weights 1 / (1 + r²), r in dex, a ridge
penalty that spares the intercept, and less weight for an uncertain index.

Each owner has a line of its own, fitted to the models of all others. Its intervals hold 50 and 90 % of the errors of
these, each predicted without its own owner, too. All errors count alike: an index knows nothing of how a value was
published."""

from functools import cache

import numpy as np
import pandas as pd

from pipeline.impute.digits import DECIMALS, log10
from pipeline.impute.flop import conformal, formulas
from pipeline.impute.flop.methods.features import fit_robust, owners
from pipeline.impute.flop.result import first_reason, make_result, rounded
from pipeline.impute.flop.rows import FIELD

METHOD = "capability_index"
NAMES = ["constant", "index", "year", "closed"]
ANY_OTHER = ""  # the line for owners without a model to learn from
MIDDLE_INDEX, STEP, MIDDLE_YEAR = 120.0, 10.0, 2024.4
LEAST_WIDTH = 3.0  # of an index's interval, below which all indices count alike
NORMAL_WIDTH = 5.0  # the interval of an index that counts once
PENALTY, DIGITS = 0.5, 4
LEAST_ROWS = 20
# Errors of the past are those of models whose compute was published; the others are a little more unlike
WIDER = 1.25
# A small model that learns from the outputs of a large one, or for one task, is not on the same line
UNLIKE = r"\b(?:distill\w*|coder|code|embed\w*)\b"
FIELDS = "capability_index;publication_date;open_weights"


def predict(rows: pd.DataFrame, lines: pd.DataFrame) -> pd.DataFrame:
    """value and quantiles (FLOP), formula, assumptions, fields, reason per row of `rows` (models) that has an index.
    `lines` as `fit` gives them."""
    rows = rows[rows["capability_index"].notna()]
    made, owner = _columns(rows), owners(rows)
    own = lines.reindex(owner.where(owner.isin(lines.index), ANY_OTHER)).set_axis(rows.index)
    coefficients = own[NAMES].to_numpy(dtype="float64")
    dex = (made * coefficients).sum(axis=1).round(DECIMALS)
    value = rounded(pd.Series(10**dex, index=rows.index))
    half, most = (own[name] for name in conformal.COLUMNS)
    texts = pd.Series([_text(*pair) for pair in zip(made, coefficients, strict=True)], index=rows.index, dtype="str")
    reasons = {
        "needs a date of publication": rows["publication_date"].isna(),
        "needs a model that is not distilled, nor for code or embeddings alone": _is_unlike(rows),
        "needs more models with an index and a published value": most.isna(),
    }
    middle = {f"quantile_{50 + 25 * side}": rounded(formulas.upper(value, side * half)) for side in (-1, 0, 1)}
    why = first_reason(reasons, rows.index)
    return make_result(value, most, why, **middle, formula=texts, assumptions="", fields=FIELDS)


def _is_unlike(rows: pd.DataFrame) -> pd.Series:
    return rows["name"].str.contains(UNLIKE, case=False, regex=True)


def _columns(rows: pd.DataFrame) -> np.ndarray:
    """One row per model: 1, the index in tens from MIDDLE_INDEX, years from MIDDLE_YEAR, whether the weights are
    closed."""
    index = (rows["capability_index"] - MIDDLE_INDEX) / STEP
    year = 2024 + (rows["publication_date"] - pd.Timestamp("2024-01-01")).dt.days / 365.25 - MIDDLE_YEAR
    closed = (~rows["open_weights"].fillna(True).astype("bool")).astype("float64")
    return np.column_stack([np.ones(len(rows)), index.round(DECIMALS), year.round(DECIMALS), closed])


def _text(made: np.ndarray, own: np.ndarray) -> str:
    closed = f" + {own[3]:.4g} for closed weights" if made[3] else ""
    terms = f" + {own[1]:.4g} × {made[1]:.4g} + {own[2]:.4g} × {made[2]:.4g}".replace("+ -", "- ")
    return f"10^({own[0]:.4g}{terms}{closed}) FLOP"


def fit(rows: pd.DataFrame, train: pd.Series | np.ndarray) -> pd.DataFrame:
    """By owner the line (NAMES) and the half-widths in dex of its intervals (conformal.COLUMNS), from the rows with an
    index and a published value of which `train` says those that may be used; null where too few are left."""
    known = rows[FIELD].notna() & train & rows["capability_index"].notna() & rows["publication_date"].notna()
    rows = rows[known & ~_is_unlike(rows)]
    made, dex, owner = _columns(rows), log10(rows[FIELD].to_numpy()), owners(rows).to_numpy()
    width = (rows["capability_index_high"] - rows["capability_index_low"]).fillna(NORMAL_WIDTH).clip(lower=LEAST_WIDTH)
    weight, names = (NORMAL_WIDTH / width).to_numpy(), sorted(set(owner))

    @cache
    def line(without: frozenset[str]) -> np.ndarray:
        use = ~np.isin(owner, list(without))
        return _fit_robust(made[use], dex[use], weight[use])

    found = {}
    for name in [ANY_OTHER, *names]:
        errors = [(dex - made @ line(frozenset({name, own})))[owner == own] for own in names if own != name]
        found[name] = [*line(frozenset({name})), *_half_widths(errors)]
    table = pd.DataFrame.from_dict(found, orient="index", columns=[*NAMES, *conformal.COLUMNS]).rename_axis("owner")
    return table.round(DECIMALS).round(DIGITS)


def _half_widths(errors: list[np.ndarray]) -> list[float]:
    far = np.abs(np.concatenate([np.empty(0), *errors]))
    if len(far) < LEAST_ROWS or np.isnan(far).any():
        return [np.nan] * len(conformal.COLUMNS)
    return [WIDER * conformal.weighted_quantile(far, np.ones(len(far)), level / 100) for level in conformal.LEVELS]


def _fit_robust(made: np.ndarray, dex: np.ndarray, own: np.ndarray) -> np.ndarray:
    if len(dex) < LEAST_ROWS:
        return np.full(len(NAMES), np.nan)
    return fit_robust(made, dex, own, PENALTY * np.diag([0.0, 1.0, 1.0, 1.0]))
