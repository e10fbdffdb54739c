"""What can be said about the training compute of every model: five quantiles, and what they rest on (`tier`).

0: a published value, whose band is log-normal on either side. 1: a physical estimate. 2: the compute of the base model
and no more. 3: the capability index, else the regression on size, data or chips. 4: the regression on date and kind. A
bound that is known, and the most compute that anybody could have had on the day, truncate the distribution. Tiers 2 to
4 are distributions: their median is no estimate to be quoted. A model in tiers 2 to 4 whose base has a distribution has
that one, moved up by further training, and its tier."""

from enum import IntEnum

import numpy as np
import pandas as pd

from pipeline.impute.digits import log10
from pipeline.impute.flop import formulas
from pipeline.impute.flop.could_be_had import most_flop
from pipeline.impute.flop.distributions import HIGH, LOW, bases_first, moved_up, truncated
from pipeline.impute.flop.families import ordered
from pipeline.impute.flop.formulas import ALONE
from pipeline.impute.flop.intervals import above_base
from pipeline.impute.flop.methods import base_model, capability_index, statistical
from pipeline.impute.flop.methods.features import STARTS
from pipeline.impute.flop.result import ENDS, rounded
from pipeline.impute.flop.rows import FIELD
from traincompute.base.quantiles import QUANTILES, Z


class Tier(IntEnum):
    """What a distribution rests on."""

    PUBLISHED, ESTIMATED, BASE, SIZE, KIND = range(5)


QUARTER = Z[1] / Z[0]  # standard deviations to the 25 % point over those to the 5 % point


def predict_all(
    models: pd.DataFrame, estimates: pd.DataFrame, intervals: pd.DataFrame, clusters: pd.DataFrame | None
) -> pd.DataFrame:
    """The table `predictions` but for its types: model_id, tier, method, estimate_id, most_flop, least_flop and
    QUANTILES in FLOP of each of `models` (with the selected estimates put in); models of which nothing is estimated are
    left out, as are those of which nothing was trained. `intervals` has the errors of estimates; `clusters` is that
    table."""
    models = models[models["training_run_id"].notna()].set_index("model_id", drop=False).rename_axis(None)
    above = above_base(intervals)
    made = choose(estimates[estimates["field"] == FIELD], models, above).set_index("model_id")
    known = models.loc[made.index]
    made = _with_published(made, known)
    least = rounded(known[LOW].where(known[FIELD].isna()))
    made = made.assign(most_flop=rounded(most_flop(known["publication_date"], clusters)), least_flop=least)
    run, open_ = known["training_run_id"], made["tier"] >= Tier.SIZE
    made = ordered(_one_each(made, run, open_), known, open_)
    made = _one_each(_truncated(made, known), run, open_)
    if above is not None:
        made = _led_by_bases(made, known, above)
    return made.rename_axis("model_id").reset_index().sort_values("model_id", ignore_index=True)


def choose(estimates: pd.DataFrame, models: pd.DataFrame, above: np.ndarray | None) -> pd.DataFrame:
    """Of each of `models` (by model_id) the estimate that its distribution comes from, with tier and QUANTILES: the
    selected value, else the base's compute if it is known and nothing contradicts it, else the index, else the
    regression."""
    source = estimates["model_id"].map(models["training_compute_source"])
    index = (estimates["method"] == capability_index.METHOD) & estimates["value"].notna()
    regression, alone = estimates["method"] == statistical.METHOD, estimates["assumptions"] == ALONE
    selected, kind = estimates["is_selected"].astype("bool"), estimates["assumptions"] == STARTS[-1]
    masks = {
        Tier.PUBLISHED: regression & source.notna() & (source != "imputed"),
        Tier.ESTIMATED: selected & estimates["value"].notna(),
        Tier.BASE: selected & alone & (above is not None),
        Tier.SIZE: (regression & ~kind & ~estimates["model_id"].isin(estimates.loc[index, "model_id"])) | index,
        Tier.KIND: regression & kind,
    }
    tier = np.select([mask.to_numpy(dtype="bool") for mask in masks.values()], list(masks), -1)
    found = estimates.assign(tier=tier)[(tier >= 0) & estimates["model_id"].isin(models.index).to_numpy()]
    found = found.sort_values(["tier", "estimate_id"]).drop_duplicates("model_id")
    if above is not None:  # the base's compute as a point; `_led_by_bases` knows its distribution
        ends = {name: rounded(formulas.upper(found["low"], dex)) for name, dex in zip(ENDS, above, strict=True)}
        found = found.assign(**{name: found[name].where(found["tier"] != Tier.BASE, ends[name]) for name in ENDS})
    found = found[["model_id", "tier", "method", "estimate_id", *ENDS]]
    return found.rename(columns=dict(zip(ENDS, QUANTILES, strict=True)))


def _with_published(made: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """The distributions with those of published values in place of what the regression says of these models."""
    value, low, high = (known[name] for name in (FIELD, LOW, HIGH))
    quarters = [formulas.upper(value, np.log10(end / value) * QUARTER) for end in (low, high)]
    found = zip(QUANTILES, [low, quarters[0], value, quarters[1], high], strict=True)
    of_source = made["tier"] == Tier.PUBLISHED
    return made.assign(
        **{name: made[name].mask(of_source, rounded(part)) for name, part in found},
        method=made["method"].mask(of_source),
        estimate_id=made["estimate_id"].mask(of_source),
    )


def _one_each(made: pd.DataFrame, run: pd.Series, open_: pd.Series) -> pd.DataFrame:
    """The distributions, where `open_` that of the model that gives the run its name."""
    followed = run.where(open_ & run.map(open_).eq(True), made.index)
    return made.loc[followed].set_axis(made.index)


def _truncated(made: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """QUANTILES given the bounds of `known` and `most_flop`, which is no limit to what starts above it, nor to what a
    source states."""
    low, stated = known[LOW].fillna(0), known[HIGH].fillna(np.inf)
    is_limit = (made["most_flop"] > low) & (made["tier"] != Tier.PUBLISHED)
    high = stated.clip(upper=made["most_flop"].where(is_limit, np.inf))
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
        moved = np.where(stays.to_numpy()[:, None], dex, moved_up(dex, above))
        bounds = about.assign(**{LOW: about[LOW].where(about[LOW] > below[LOW].fillna(0))})  # the others are the base's
        cut = log10(_truncated(_with_quantiles(own, moved), bounds)[QUANTILES].to_numpy())
        of_root = root["tier"] >= Tier.SIZE
        rests_on = {
            "tier": root["tier"].clip(lower=Tier.BASE),
            "method": root["method"].where(of_root, base_model.METHOD),
            "estimate_id": root["estimate_id"].where(of_root | (own["tier"] != Tier.BASE), own["estimate_id"]),
        }
        made = pd.concat([made.drop(index=ready), _with_quantiles(own, np.maximum(cut, dex)).assign(**rests_on)])
    return made
