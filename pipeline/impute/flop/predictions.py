"""What can be said about the training compute of every model: five quantiles, and what they rest on (`tier`).

0: a published value, whose band is log-normal on either side. 1: a physical estimate. 2: the compute of the base model
and no more. 3: the capability index, else the regression on size, data or chips. 4: the regression on date and kind. A
bound that is known, and the most compute that anybody could have had on the day, truncate the distribution. Tiers 2 to 4
are distributions: their median is no estimate to be quoted. Where a model would be in tier 3 or 4 for its size or kind, but
its base has a distribution, it has the base's, with the base's tier.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.base.digits import log10
from pipeline.impute.flop import formulas
from pipeline.impute.flop.could_be_had import most_flop
from pipeline.impute.flop.distributions import truncated
from pipeline.impute.flop.estimate_intervals import above_base
from pipeline.impute.flop.from_base import from_bases
from pipeline.impute.flop.methods import base_model, capability_index, statistical
from pipeline.impute.flop.methods.features import STARTS
from pipeline.impute.flop.result import rounded
from pipeline.impute.flop.rows import FIELD
from traincompute.base.quantiles import QUANTILES, Z

PUBLISHED, ESTIMATED, BASE, SIZE, KIND = range(5)
ENDS_OF_MODEL = ["training_compute_low", "training_compute_high"]
ENDS = ["low", "quantile_25", "quantile_50", "quantile_75", "high"]  # the same in estimates
QUARTER = Z[1] / Z[0]  # standard deviations to the 25 % point over those to the 5 % point


def predict_all(
    models: pd.DataFrame, estimates: pd.DataFrame, intervals: pd.DataFrame, clusters: pd.DataFrame | None
) -> pd.DataFrame:
    """The table `predictions` but for its types: model_id, tier, method, estimate_id, most_flop, least_flop and QUANTILES in
    FLOP of each of `models` (with the selected estimates put in); models of which nothing is estimated are left out.
    `intervals` has the errors of estimates, which say how far a model lies above a base of which no more is known;
    `clusters` is the table of that name."""
    chosen = choose(estimates[estimates["field"] == FIELD], models, intervals)
    made = models[["model_id"]].merge(_led_by_bases(chosen, models, above_base(intervals)), on="model_id", how="inner")
    columns = ["model_id", "publication_date", FIELD, *ENDS_OF_MODEL]
    known = models[columns].set_index("model_id").reindex(made["model_id"]).reset_index()
    least = rounded(known[ENDS_OF_MODEL[0]].where(known[FIELD].isna()))
    made = made.assign(most_flop=rounded(most_flop(known["publication_date"], clusters)), least_flop=least)
    made = made.assign(**_truncated(made, known))
    of_source = made["tier"] == PUBLISHED
    return made.assign(
        **{name: made[name].mask(of_source, value) for name, value in _published(known).items()},
        method=made["method"].mask(of_source),
        estimate_id=made["estimate_id"].mask(of_source),
    ).sort_values("model_id", ignore_index=True)


def _led_by_bases(chosen: pd.DataFrame, models: pd.DataFrame, up: dict[str, float]) -> pd.DataFrame:
    """The chosen distributions, with the base's where the own one comes from the regression on size or kind and the base has
    no value, or where a bound by the base's compute lies below what is likely of the base."""
    made = chosen.set_index("model_id")
    base = models.set_index("model_id")["base_model_id"].reindex(made.index)
    tier_of_base = base.map(made["tier"])
    by_regression = (made["tier"] >= SIZE) & (made["method"] == statistical.METHOD) & (tier_of_base >= BASE)
    below = (made["tier"] == BASE) & (tier_of_base >= ESTIMATED) & (made["flop_05"] < base.map(made["flop_05"]))
    led = from_bases(made, base, (by_regression | below) & bool(up), up)
    return led.assign(tier=led["tier"].mask(below & (led["tier"] < BASE), BASE)).reset_index()


def _truncated(made: pd.DataFrame, known: pd.DataFrame) -> dict[str, pd.Series]:
    """QUANTILES given the bounds of `known` and `most_flop`, which is no limit to what starts above it."""
    low, stated = known[ENDS_OF_MODEL[0]].fillna(0), known[ENDS_OF_MODEL[1]].fillna(np.inf)
    high = stated.clip(upper=made["most_flop"].where(made["most_flop"] > low, np.inf))
    with np.errstate(divide="ignore"):
        dex = truncated(log10(made[QUANTILES].to_numpy()), log10(low.to_numpy()), log10(high.to_numpy()))
    cut = zip(QUANTILES, dex.T, strict=True)
    return {name: rounded(pd.Series(10**column, index=made.index)).clip(low, high) for name, column in cut}


def choose(estimates: pd.DataFrame, models: pd.DataFrame, intervals: pd.DataFrame) -> pd.DataFrame:
    """Of each model the estimate that its distribution comes from, with tier: the selected value, else the base's compute
    if it is known and nothing contradicts it, else the regression."""
    published = estimates["model_id"].map(models.set_index("model_id")["training_compute_source"])
    up = above_base(intervals)
    index = (estimates["method"] == capability_index.METHOD) & estimates["value"].notna()
    regression, alone = estimates["method"] == statistical.METHOD, estimates["assumptions"] == base_model.ALONE
    selected, kind = estimates["is_selected"].astype("bool"), estimates["assumptions"] == STARTS[-1]
    masks = {
        PUBLISHED: regression & published.notna() & (published != "imputed"),
        ESTIMATED: selected & estimates["value"].notna(),
        BASE: selected & alone & bool(up),
        SIZE: (regression & ~kind & ~estimates["model_id"].isin(estimates.loc[index, "model_id"])) | index,
        KIND: regression & kind,
    }
    tier = np.select([mask.to_numpy(dtype="bool") for mask in masks.values()], list(masks), -1)
    found = estimates.assign(tier=tier)[tier >= 0].sort_values(["tier", "estimate_id"]).drop_duplicates("model_id")
    above = {name: found[name].where(found["tier"] != BASE, rounded(formulas.upper(found["low"], dex)))
             for name, dex in up.items()}  # fmt: skip
    found = found.assign(**above)[["model_id", "tier", "method", "estimate_id", *ENDS]]
    return found.rename(columns=dict(zip(ENDS, QUANTILES, strict=True)))


def _published(known: pd.DataFrame) -> dict[str, pd.Series]:
    value, low, high = (known[name] for name in (FIELD, *ENDS_OF_MODEL))
    quarters = [formulas.upper(value, np.log10(end / value) * QUARTER) for end in (low, high)]
    found = [low, quarters[0], value, quarters[1], high]
    return {name: rounded(part) for name, part in zip(QUANTILES, found, strict=True)}
