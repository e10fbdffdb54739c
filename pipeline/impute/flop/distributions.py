"""Distributions of the training compute: cut off at bounds, moved up by further training, never below the base's."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from pipeline.impute.digits import DECIMALS
from pipeline.impute.flop.methods import base_model
from pipeline.impute.flop.result import ENDS, rounded
from traincompute.base.quantiles import SHARES, deviations, normal_cdf, normal_quantile, values

NARROWEST = 0.001  # dex between two quantiles: five equal ones would be a certainty
# What lies outside the limits is no evidence that the limits are wrong: where less than this lies inside, the whole is
# moved until so much does
LEAST_INSIDE = 0.05
LOW, VALUE, HIGH = "training_compute_low", "training_compute_flop", "training_compute_high"
MIDDLE = 2  # the place of the median
WITHOUT = 0.95  # a published value below this share of its base's leaves the base out


def truncated(dex: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The distributions (rows × SHARES, log10 FLOP) given that the value lies between `low` and `high` (by row; -inf or
    inf for none). Where that is the distribution's own end, it takes nothing from it."""
    low = np.where(np.abs(dex[:, 0] - low) > NARROWEST, low, -np.inf)
    high = np.where(np.abs(dex[:, -1] - high) > NARROWEST, high, np.inf)
    outside = (dex[:, 0] < low) | (dex[:, -1] > high)
    made = dex.copy()
    steps = np.maximum(np.diff(dex[outside]), NARROWEST)
    apart = np.cumsum(np.hstack([dex[outside, :1], steps]), axis=1)
    made[outside] = _truncated(apart, low[outside], high[outside])
    return np.asarray(made.round(DECIMALS))


def _truncated(quantiles: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    short = _chance_below(quantiles, high) < LEAST_INSIDE
    quantiles = np.where(short[:, None], quantiles - (quantiles[:, 0] - high)[:, None], quantiles)
    short = 1 - _chance_below(quantiles, low) < LEAST_INSIDE
    quantiles = np.where(short[:, None], quantiles + (low - quantiles[:, -1])[:, None], quantiles)
    first, last = _chance_below(quantiles, low), _chance_below(quantiles, high)
    shares = first[:, None] + (last - first)[:, None] * SHARES
    return np.asarray(np.clip(values(quantiles, normal_quantile(shares)), low[:, None], high[:, None]))


def _chance_below(quantiles: np.ndarray, value: np.ndarray) -> np.ndarray:
    return normal_cdf(deviations(quantiles, value))


def moved_up(base: np.ndarray, above: np.ndarray) -> np.ndarray:
    """The sum of two distributions (log10 FLOP of the base, and dex above it; rows × SHARES): medians add, distances
    from the median add as those of independent errors do, and no quantile is below the base's."""
    apart = np.hypot(base - base[:, [MIDDLE]], above - above[MIDDLE]) * np.sign(np.arange(len(above)) - MIDDLE)
    return np.asarray(np.maximum(base[:, [MIDDLE]] + above[MIDDLE] + apart, base))


def bases_first(base: pd.Series) -> Iterator[pd.Index]:
    """The models of `base` (base's model_id by model_id) in groups, a base before what was made from it; models that
    are made from each other are left out."""
    waiting = base.index
    while len(ready := waiting[~base[waiting].isin(waiting).to_numpy()]):
        yield ready
        waiting = waiting.difference(ready)


def not_below_base(
    models: pd.DataFrame, estimates: pd.DataFrame, stated: pd.Series
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The models (with the selected estimates put in; `stated` are the low ends that sources state) and the estimates
    with low ends that follow from the base's: that of a total that is at least its base's lies no lower, if not above
    the value; that of a model of which no more than the base is known is the base's, which is no surer than its own."""
    known = models.set_index("model_id")
    low, flop, stated = known[LOW].copy(), known[VALUE], stated.set_axis(known.index)
    base, before = known["base_model_id"].dropna(), flop.fillna(known[LOW])
    base = base[base.isin(known.index)]
    made = estimates["is_selected"].astype("bool") & estimates["method"].eq(base_model.METHOD)
    alone = flop.isna() & flop.index.isin(estimates.loc[made & estimates["value"].isna(), "model_id"])
    leaves_out = flop[base.index] < WITHOUT * flop[base].to_numpy()
    for ready in bases_first(base[~leaves_out]):
        least, value = (pd.Series(part[base[ready]].to_numpy(), ready) for part in (low, before))
        bound = rounded(low[ready] * (least / value).fillna(1))  # of several bases the sum is as unsure as the first
        total = np.fmax(low[ready], np.minimum(least, flop[ready]))  # an unknown end of the base changes nothing
        low[ready] = np.where(alone[ready], np.fmax(bound, stated[ready]), total)
    changed = estimates["model_id"].map(low[low.ne(known[LOW]) & low.notna()]).where(made)
    new = {name: estimates[name].clip(lower=changed.fillna(-np.inf)) for name in ENDS}
    new["low"] = new["low"].where(changed.isna() | estimates["value"].notna(), changed)
    return models.assign(**{LOW: low.to_numpy()}), estimates.assign(**new)
