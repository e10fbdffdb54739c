"""Distributions of the training compute: cut off at bounds, and what the base's says of a model that was made from it.

A model whose base has no value but a distribution has that distribution, moved up by what further training takes: what
its date and size say would be of a whole training, of which its own is the last part. Where the further training is
known, too, no more than the errors of such sums is known of the total, but it is not below the base's own low end."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pipeline.frames import significant
from pipeline.impute.digits import DECIMALS, log10
from pipeline.impute.flop.methods import base_model
from pipeline.impute.flop.result import ENDS, rounded
from traincompute.base.quantiles import QUANTILES, SHARES, deviations, normal_cdf, normal_quantile, values

NARROWEST = 0.001  # dex between two quantiles: five equal ones would be a certainty
# What lies outside the limits is no evidence that the limits are wrong: where less than this lies inside, the whole is
# moved until so much does
LEAST_INSIDE = 0.05
LOW, VALUE, HIGH = "training_compute_low", "training_compute_flop", "training_compute_high"
MIDDLE = 2  # the place of the median


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


def from_bases(made: pd.DataFrame, base: pd.Series, led: pd.Series, up: Mapping[str, float]) -> pd.DataFrame:
    """`made` (by model_id: tier, method, estimate_id, QUANTILES in FLOP) with the base's instead of a model's own,
    moved up, where `led` says so and `base` (base's model_id) has one. `up` has dex above the base's compute, in the
    order of QUANTILES.

    A base comes before what was made from it; models that are made from each other keep their own."""
    above, waiting = np.array(list(up.values())), led.index[led & base.isin(made.index)]
    while len(ready := waiting[~base[waiting].isin(waiting).to_numpy()]):
        bases = made.loc[base[ready]].set_axis(ready)
        made = pd.concat([made.drop(index=ready), bases.assign(**_moved(bases, above))])
        waiting = waiting.difference(ready)
    return made


def from_low_end(models: pd.DataFrame, estimates: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The models (with the selected estimates put in) and the estimates with the distributions of those that are a base
    and its further training cut off below the base's low end, a base before what was made from it; no low end is above
    the value."""
    sums = estimates["is_selected"] & estimates["value"].notna() & estimates["method"].eq(base_model.METHOD)
    made = estimates[sums & estimates["field"].eq(VALUE)].set_index("model_id")[["value", *ENDS]]
    known = models.set_index("model_id")
    base, low, old = known.loc[made.index, "base_model_id"].dropna(), known[LOW].copy(), made["high"].copy()
    waiting = base.index
    while len(ready := waiting[~base[waiting].isin(waiting).to_numpy()]):
        made.loc[ready, ENDS] = _cut(made.loc[ready], low[base[ready]].to_numpy())
        low[ready] = made.loc[ready, "low"]
        waiting = waiting.difference(ready)
    ids, new = models["model_id"], made.loc[base.index]
    is_own = models[HIGH] == ids.map(old[base.index])  # and no bound that a source states
    ends = {LOW: ids.map(new["low"]).fillna(models[LOW]), HIGH: models[HIGH].mask(is_own, ids.map(new["high"]))}
    rows = estimates.index[sums & estimates["model_id"].isin(base.index)]
    changed = estimates[ENDS].copy()
    changed.loc[rows] = new.loc[estimates.loc[rows, "model_id"], ENDS].to_numpy()
    return models.assign(**ends), estimates.assign(**changed)


def _cut(made: pd.DataFrame, low: np.ndarray) -> np.ndarray:
    floor = log10(np.where(np.isnan(low), 0, low))
    dex = truncated(log10(made[ENDS].to_numpy()), floor, np.full(len(made), np.inf))
    flop: np.ndarray = np.column_stack([significant(part, 4) for part in (10**dex).T])
    flop[:, 0] = np.minimum(flop[:, 0], made["value"])
    return flop


def _moved(bases: pd.DataFrame, above: np.ndarray) -> dict[str, pd.Series]:
    """QUANTILES of the sum of two distributions in dex, whose distances from the median add up as independent ones do;
    none below the base's."""
    dex = log10(bases[QUANTILES].to_numpy())
    apart = np.hypot(dex - dex[:, [MIDDLE]], above - above[MIDDLE]) * np.sign(np.arange(len(above)) - MIDDLE)
    moved = np.maximum(dex[:, [MIDDLE]] + above[MIDDLE] + apart, dex[:, [0]])
    return {
        name: rounded(pd.Series(10**part, index=bases.index)) for name, part in zip(QUANTILES, moved.T, strict=True)
    }
