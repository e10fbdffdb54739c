"""How far from an estimate the training compute may lie: quantiles of log10(published ÷ estimate), measured on
estimates that were made the same way.

"The same way" means the same method and the same assumptions. What n models of a kind show counts n / (n + 30), all
estimates of the method the rest. Errors of a physical method are alike on either side; those of the regression and
above a base alone are not. The outer quantiles have the finite-sample correction (n + 1) p / n of split conformal
prediction (Lei et al. 2018, doi:10.1080/01621459.2017.1307116), counted in weights.

`traincompute dev calibrate --write` measures them, as files below data/calibration/ that the build reads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from pyarrow import ArrowInvalid, csv

from pipeline.errors import DataError
from pipeline.files import RESTORE
from pipeline.impute.methods import statistical
from pipeline.impute.methods.base_model import ALONE
from pipeline.impute.results import DECIMALS, ENDS, rounded
from pipeline.paths import Paths
from traincompute.base.distributions import SHARES, Z

SHRINK = 30  # models of a kind that count as much as the method
LEAST_ROWS = 5  # a kind of which fewer have a published value has no line of its own
LEAST_DEX = 0.02  # an interval is never narrower than rounding to two digits
ALL = ""  # what a line for the whole method has as its assumptions
# Errors with and without it are alike: 86 % of 81 and 89 % of 215 published values are within a factor of 3
NO_MATTER = "usual number format of the chip"
QUANTILES = [f"dex_{100 * share:02.0f}" for share in SHARES]
MEDIAN = 2  # place in SHARES
DIGITS = 3
REMEDY = f"{RESTORE}; `traincompute dev calibrate --write` measures it again"


class Calibrated(NamedTuple):
    """The coefficients of the regression by part, name and fold, the line of the index, the errors."""

    coefficients: pd.DataFrame
    capability_index: pd.DataFrame
    intervals: pd.DataFrame


def load_calibrated(paths: Paths) -> Calibrated:
    """All three tables. Raises DataError where a file is missing or broken."""
    coefficients, line, intervals = (load_measured(paths, name) for name in Calibrated._fields)
    return Calibrated(coefficients.fillna({"name": ""}).set_index(["part", "name"]), line, intervals)


def load_measured(paths: Paths, name: str) -> pd.DataFrame:
    """One of the tables as it was written, such as `scores`. Raises DataError where its file is missing or broken."""
    file = paths.calibration / f"{name}.csv"
    try:
        return pd.DataFrame(csv.read_csv(file).to_pandas())
    except (OSError, ArrowInvalid) as error:
        raise DataError.of(paths.short(file), f"cannot be read: {error}", REMEDY) from error


def make_intervals(scored: pd.DataFrame) -> pd.DataFrame:
    """method, assumptions, rows and QUANTILES in dex, sorted, from `scored` (also weight, error_dex)."""
    alike = scored.assign(assumptions=kinds(scored["assumptions"]), off=-scored["error_dex"])
    lines = []
    for method, group in alike.groupby("method", sort=True):
        whole = _quantiles(group)
        lines.append([method, ALL, group["model_id"].nunique(), *whole])
        for kind, some in group.groupby("assumptions", sort=True):
            if (n := some["model_id"].nunique()) >= LEAST_ROWS:
                own = _quantiles(some)
                lines.append([method, kind, n, *(own if kind == ALONE else (n * own + SHRINK * whole) / (n + SHRINK))])
    made = pd.DataFrame(lines, columns=["method", "assumptions", "rows", *QUANTILES])
    return made.assign(**made[QUANTILES].round(DECIMALS).round(DIGITS))


def kinds(assumptions: pd.Series) -> pd.Series:
    """The ;-joined assumptions without the one that makes no difference; `none` where nothing is assumed."""
    kept = assumptions.fillna("").str.replace(NO_MATTER, "", regex=False).str.replace(";;", ";", regex=False)
    return kept.str.strip(";").replace("", "none")


def _quantiles(group: pd.DataFrame) -> np.ndarray:
    """SHARES of `off` in dex."""
    off, weight = group["off"].to_numpy(), group["weight"].to_numpy()
    if (group["assumptions"] == ALONE).all() or (group["method"] == statistical.METHOD).all():
        above = [weighted_quantile(off, weight, share) for share in SHARES[MEDIAN:]]
        below = [-weighted_quantile(-off, weight, share) for share in SHARES[: MEDIAN - 1 : -1]]
        return np.array([*below[:2], (above[0] + below[2]) / 2, *above[1:]])
    half = [max(weighted_quantile(np.abs(off), weight, share), LEAST_DEX) for share in (0.5, 0.9)]
    return np.array([-half[1], -half[0], 0.0, *half])


def weighted_quantile(values: np.ndarray, weights: np.ndarray, share: float) -> float:
    """The smallest value with at least `share` of the weight, corrected for a finite sample, at or below it."""
    order = np.argsort(values, kind="stable")
    total = weights.sum()
    wanted = min(share * (total + weights.max()), total) * (1 - 1e-12)  # sums of weights are exact to this tolerance
    return float(values[order][np.searchsorted(np.cumsum(weights[order]), wanted)])


def quantiles(made: pd.DataFrame, intervals: pd.DataFrame) -> pd.DataFrame:
    """ENDS in dex from the value of each row of `made` (method, assumptions, inputs_dex), which lies between low and
    high; null for methods without errors. An estimate is no more certain than what it is made from (`inputs_dex`)."""
    lines = pd.Index(intervals["method"] + "|" + intervals["assumptions"].fillna(ALL))
    own = lines.get_indexer(pd.Index(made["method"] + "|" + kinds(made["assumptions"])))
    place = np.where(own < 0, lines.get_indexer(pd.Index(made["method"] + "|" + ALL)), own)
    dex = np.vstack([intervals[QUANTILES].to_numpy(dtype="float64"), np.full(len(SHARES), np.nan)])[place]
    inputs = made["inputs_dex"].fillna(0).to_numpy()[:, None] * Z / Z[-1]
    inputs[:, [0, -1]] = np.maximum(np.abs(inputs[:, [0, -1]]), LEAST_DEX) * [-1, 1]
    dex = np.where(Z < 0, np.minimum(dex, inputs), np.where(Z > 0, np.maximum(dex, inputs), dex))
    return pd.DataFrame(dex, index=made.index, columns=ENDS)


def with_quantiles(made: pd.DataFrame, intervals: pd.DataFrame) -> pd.DataFrame:
    """The estimates (method, assumptions, value, low, high, inputs_dex) with quantiles, and with low and high replaced,
    where a calibrated method has a value; bounds stay."""
    dex = quantiles(made, intervals).where(made["value"].notna())
    flop = pd.DataFrame({name: rounded(made["value"] * 10 ** dex[name]) for name in ENDS})
    return made.assign(**flop.where(flop.notna(), made.reindex(columns=ENDS)))


def above_base(intervals: pd.DataFrame) -> np.ndarray | None:
    """SHARES in dex above the base's compute of a model of which no more is known; None where too few are published."""
    line = intervals.loc[intervals["assumptions"] == ALONE, QUANTILES].to_numpy(dtype="float64")
    return np.maximum(line[0], 0) if len(line) else None
