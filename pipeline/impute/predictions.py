"""What can be said about the training compute of every model: five quantiles, and what they rest on (`tier`).

0: a published value, whose band is log-normal on either side. 1: a physical estimate. 2: the compute of the base model
and no more. 3: the capability index, else the regression on size, data or chips. 4: the regression on date and kind. A
bound that is known, and the most compute that anybody could have had on the day, truncate the distribution. Tiers 2 to
4 are distributions: their median is no estimate to be quoted. A model in tiers 2 to 4 whose base has a distribution has
that one, moved up by further training, and its tier."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import pandas as pd

from pipeline.impute.bounds import HIGH, LOW, bases_first
from pipeline.impute.intervals import above_base
from pipeline.impute.methods import base_model, capability_index, statistical
from pipeline.impute.results import DECIMALS, ENDS, FIELD, log10, rounded
from pipeline.impute.runs import smaller
from traincompute.base.distributions import QUANTILES, SHARES, Z, deviations, normal_cdf, normal_quantile


class Tier(IntEnum):
    """What a distribution rests on."""

    PUBLISHED, ESTIMATED, BASE, SIZE, KIND = range(5)


KNOWN = ["model_id", "name", "organization", "publication_date", "training_run_id", "base_model_id", FIELD, LOW, HIGH,
         "most_flop", "most_by_size"]  # fmt: skip
MIDDLE = 2  # the place of the median
QUARTER = Z[1] / Z[0]  # standard deviations to the 25 % point over those to the 5 % point
STEP_DEX = 0.6  # between two sizes of a line: the median of 18 pairs of which both have a value (half: 0.43 to 0.76)
NARROWEST = 0.001  # dex between two quantiles: five equal ones would be a certainty
LEAST_INSIDE = 0.05  # of a distribution lies within its limits: where it is less, the whole is moved


def predict_all(models: pd.DataFrame, estimates: pd.DataFrame, intervals: pd.DataFrame) -> pd.DataFrame:
    """The table `predictions` but for its types: model_id, tier, method, estimate_id, most_flop, least_flop and
    QUANTILES in FLOP of each of `models` (with the selected estimates put in, and most_flop and most_by_size, see
    bounds.py). Models of which nothing is estimated or trained are left out."""
    models = models[models["training_run_id"].notna()].set_index("model_id", drop=False).rename_axis(None)
    above = above_base(intervals)
    made = choose(estimates[estimates["field"] == FIELD], models["training_compute_source"], above)
    known = models.loc[made.index, KNOWN]
    made = made.assign(most_flop=known["most_flop"], least_flop=rounded(known[LOW].where(known[FIELD].isna())))
    run, open_ = known["training_run_id"], made["tier"] >= Tier.SIZE
    # in place of what the regression says of published values
    of_source, value, low, high = (made["tier"] == Tier.PUBLISHED, *(known[name] for name in (FIELD, LOW, HIGH)))
    quarters = [value * 10 ** (np.log10(end / value) * QUARTER) for end in (low, high)]
    halves = zip(QUANTILES, [low, quarters[0], value, quarters[1], high], strict=True)
    made = made.assign(**{name: made[name].mask(of_source, rounded(part)) for name, part in halves})
    made = made.assign(**{name: made[name].mask(of_source) for name in ("method", "estimate_id")})
    made = _in_order(_one_each(made, run, open_), known, open_)
    made = _one_each(_truncated(made, known), run, open_)
    if above is not None:
        made = _led_by_bases(made, known, above)
    return made.rename_axis("model_id").reset_index().sort_values("model_id", ignore_index=True)


def choose(estimates: pd.DataFrame, source: pd.Series, above: np.ndarray | None) -> pd.DataFrame:
    """By model_id the estimate that the distribution of a model comes from, with tier and QUANTILES: the selected
    value, else the base's compute if it is known and nothing contradicts it, else the index, else the regression.
    `source`: training_compute_source by model_id of the models that are asked for; `above`: `above_base`."""
    source_of = estimates["model_id"].map(source)
    index = (estimates["method"] == capability_index.METHOD) & estimates["value"].notna()
    regression, alone = estimates["method"] == statistical.METHOD, estimates["assumptions"] == base_model.ALONE
    selected, kind = estimates["is_selected"].astype("bool"), estimates["assumptions"] == statistical.STARTS[-1]
    masks = {
        Tier.PUBLISHED: regression & source_of.notna() & (source_of != "imputed"),
        Tier.ESTIMATED: selected & estimates["value"].notna(),
        Tier.BASE: selected & alone & (above is not None),
        Tier.SIZE: (regression & ~kind & ~estimates["model_id"].isin(estimates.loc[index, "model_id"])) | index,
        Tier.KIND: regression & kind,
    }
    tier = np.select([mask.to_numpy(dtype="bool") for mask in masks.values()], list(masks), -1)
    found = estimates.assign(tier=tier)[(tier >= 0) & estimates["model_id"].isin(source.index).to_numpy()]
    found = found.sort_values(["tier", "estimate_id"]).drop_duplicates("model_id")
    if above is not None:  # the base's compute as a point; `_led_by_bases` knows its distribution
        ends = {name: rounded(found["low"] * 10**dex) for name, dex in zip(ENDS, above, strict=True)}
        found = found.assign(**{name: found[name].where(found["tier"] != Tier.BASE, ends[name]) for name in ENDS})
    found = found.set_index("model_id")[["tier", "method", "estimate_id", *ENDS]]
    return found.rename(columns=dict(zip(ENDS, QUANTILES, strict=True)))


def _one_each(made: pd.DataFrame, run: pd.Series, open_: pd.Series) -> pd.DataFrame:
    """The distributions, where `open_` that of the model that gives the run its name."""
    followed = run.where(open_ & run.map(open_).eq(True), made.index)
    return made.loc[followed].set_axis(made.index)


def _in_order(made: pd.DataFrame, known: pd.DataFrame, moved: pd.Series) -> pd.DataFrame:
    """The distributions with the models that `moved` says, from the largest of a line on, moved down until their
    medians lie STEP_DEX below those of larger ones, and up to those of smaller ones that stay where they are."""
    pairs = smaller(known)
    down, up = pairs["small"].isin(made.index[moved]), pairs["large"].isin(made.index[moved])
    median = pd.Series(log10(made[QUANTILES[MIDDLE]].to_numpy()), made.index)
    start = median.copy()
    for _, step in pairs[down].groupby("rank", sort=True):
        most = (median[step["large"]] - STEP_DEX).groupby(step["small"].to_numpy()).min()
        median[most.index] = np.minimum(median[most.index], most)
    kept = pairs[up & ~down]
    least = median[kept["small"]].groupby(kept["large"].to_numpy()).max()
    median[least.index] = np.maximum(median[least.index], least)
    factor = 10 ** (median - start)
    flop = {name: made[name].mask(median != start, rounded(made[name] * factor)) for name in QUANTILES}
    return made.assign(**flop)


def _truncated(made: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """QUANTILES given the bounds of `known`, `most_flop` and, without a value, `most_by_size`: no limit to what starts
    above them or a source states."""
    low, stated = known[LOW].fillna(0), known[HIGH].fillna(np.inf)
    is_limit = (made["most_flop"] > low) & (made["tier"] != Tier.PUBLISHED)
    high = stated.clip(upper=made["most_flop"].where(is_limit, np.inf))
    by_size = known["most_by_size"].where((made["tier"] >= Tier.SIZE) & (known["most_by_size"] > low))
    high = high.clip(upper=by_size.fillna(np.inf))
    with np.errstate(divide="ignore"):
        dex = truncated(log10(made[QUANTILES].to_numpy()), log10(low.to_numpy()), log10(high.to_numpy()))
    return _with_quantiles(made, dex).assign(**{name: lambda t, n=name: t[n].clip(low, high) for name in QUANTILES})


def _with_quantiles(made: pd.DataFrame, dex: np.ndarray) -> pd.DataFrame:
    columns = zip(QUANTILES, dex.T, strict=True)
    return made.assign(**{name: rounded(pd.Series(10**column, index=made.index)) for name, column in columns})


def _led_by_bases(made: pd.DataFrame, known: pd.DataFrame, above: np.ndarray) -> pd.DataFrame:
    """The distributions, in tiers 2 to 4 with the base's moved up by `above` (dex) where it has one, a base before what
    was made from it; in one run of tiers 3 and 4 nothing moves up. No quantile is below the base's."""
    base = known["base_model_id"]
    for ready in bases_first(base[base.isin(made.index) & (made["tier"] >= Tier.BASE)]):
        own, root = made.loc[ready], made.loc[base[ready]].set_axis(ready)
        about, below = known.loc[ready], known.loc[base[ready]].set_axis(ready)
        dex = log10(root[QUANTILES].to_numpy())
        stays = (root["tier"] >= Tier.SIZE) & (about["training_run_id"] == below["training_run_id"])
        # the sum of two distributions: medians add, distances from the median as those of independent errors do
        middle, side = dex[:, [MIDDLE]], np.sign(np.arange(len(above)) - MIDDLE)
        sums = middle + above[MIDDLE] + np.hypot(dex - middle, above - above[MIDDLE]) * side
        moved = np.where(stays.to_numpy()[:, None], dex, np.maximum(sums, dex))
        # the other bounds are the base's, as is its size
        bounds = about.assign(most_by_size=np.nan, **{LOW: about[LOW].where(about[LOW] > below[LOW].fillna(0))})
        cut = log10(_truncated(_with_quantiles(own, moved), bounds)[QUANTILES].to_numpy())
        of_root = root["tier"] >= Tier.SIZE
        rests_on = {
            "tier": root["tier"].clip(lower=Tier.BASE),
            "method": root["method"].where(of_root, base_model.METHOD),
            "estimate_id": root["estimate_id"].where(of_root | (own["tier"] != Tier.BASE), own["estimate_id"]),
        }
        made = pd.concat([made.drop(index=ready), _with_quantiles(own, np.maximum(cut, dex)).assign(**rests_on)])
    return made


def truncated(dex: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The distributions (rows × SHARES, log10 FLOP) given that the value lies between `low` and `high` (by row; -inf or
    inf for none). Where that is the distribution's own end, it takes nothing from it."""
    low = np.where(np.abs(dex[:, 0] - low) > NARROWEST, low, -np.inf)
    high = np.where(np.abs(dex[:, -1] - high) > NARROWEST, high, np.inf)
    outside = (dex[:, 0] < low) | (dex[:, -1] > high)
    made, low, high = dex.copy(), low[outside], high[outside]
    steps = np.maximum(np.diff(dex[outside]), NARROWEST)
    apart = np.cumsum(np.hstack([dex[outside, :1], steps]), axis=1)
    short = normal_cdf(deviations(apart, high)) < LEAST_INSIDE
    apart = np.where(short[:, None], apart - (apart[:, 0] - high)[:, None], apart)
    short = 1 - normal_cdf(deviations(apart, low)) < LEAST_INSIDE
    apart = np.where(short[:, None], apart + (low - apart[:, -1])[:, None], apart)
    first, last = (normal_cdf(deviations(apart, end)) for end in (low, high))
    shares = first[:, None] + (last - first)[:, None] * SHARES
    made[outside] = np.clip(values(apart, normal_quantile(shares)), low[:, None], high[:, None])
    return np.asarray(made.round(DECIMALS))


def values(dex: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The values (rows × any number) that lie so many standard deviations above the median of the row."""
    part = np.clip(np.searchsorted(Z, z) - 1, 0, len(Z) - 2)
    first, second = (np.take_along_axis(dex, place, axis=1) for place in (part, part + 1))
    return np.asarray(first + (z - Z[part]) / (Z[part + 1] - Z[part]) * (second - first))
