"""What can be said about the training compute of every model: five quantiles, and what they rest on (`tier`).

0: a published value, whose band is log-normal on either side. 1: a physical estimate. 2: the compute of the base model
and no more. 3: the capability index, else the regression on size, data or chips. 4: the regression on date and kind. A
bound that is known, and the most compute that anybody could have had on the day, truncate the distribution. Tiers 2 to
4 are distributions: their median is no estimate to be quoted. Where a model would be in tier 3 or 4 for its size or
kind, but its base has a distribution, it has the base's, with the base's tier."""

import numpy as np
import pandas as pd

from pipeline.impute.digits import log10
from pipeline.impute.flop import formulas
from pipeline.impute.flop.could_be_had import most_flop
from pipeline.impute.flop.distributions import from_bases, truncated
from pipeline.impute.flop.families import earlier_version, heads, ordered, same_size
from pipeline.impute.flop.methods import base_model, capability_index, note, statistical
from pipeline.impute.flop.methods.features import STARTS
from pipeline.impute.flop.residual_forest import above_base
from pipeline.impute.flop.result import ENDS, rounded
from pipeline.impute.flop.rows import FIELD
from traincompute.base.quantiles import QUANTILES, Z

PUBLISHED, ESTIMATED, BASE, SIZE, KIND = range(5)
ENDS_OF_MODEL = ["training_compute_low", "training_compute_high"]
WITHDRAWN_DEX = 1.5  # half-width of the 90 % band of a figure that no source stands by: that of the word speculative
QUARTER = Z[1] / Z[0]  # standard deviations to the 25 % point over those to the 5 % point


def predict_all(
    models: pd.DataFrame,
    estimates: pd.DataFrame,
    intervals: pd.DataFrame,
    clusters: pd.DataFrame | None,
    revisions: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """The table `predictions` but for its types: model_id, tier, method, estimate_id, most_flop, least_flop and
    QUANTILES in FLOP of each of `models` (with the selected estimates put in); models of which nothing is estimated are
    left out. `intervals` has the errors of estimates, which say how far a model lies above a base of which no more is
    known; `clusters` and `revisions` are the tables of these names, of which the latter tells what sources have
    withdrawn."""
    of_flop = estimates[estimates["field"] == FIELD]
    chosen = _with_noted(choose(of_flop, models, intervals).set_index("model_id"), _figures(of_flop, revisions))
    about = models.set_index("model_id", drop=False).rename_axis(None).reindex(chosen.index)
    chosen = _with_published(chosen, about)
    chosen = _led_by_bases(chosen, models, above_base(intervals))
    run = models.set_index("model_id")["training_run_id"].reindex(chosen.index).fillna(chosen.index.to_series())
    open_ = chosen["tier"] >= SIZE  # of a run one distribution, and of a line in the order of size
    chosen = _one_each(ordered(_one_each(chosen, run, open_), models, open_), run, open_)
    made = models[["model_id"]].merge(chosen.reset_index(), on="model_id", how="inner")
    known = about.reindex(made["model_id"]).reset_index(drop=True)
    # models of a run that rest on a regression have the day and the bounds of the one that gives the run its name
    root = known[made["tier"] >= SIZE].set_index("model_id").reindex(known["training_run_id"]).set_index(known.index)
    shared = (made["tier"] >= SIZE) & root["publication_date"].notna()
    known = known.assign(
        **{name: known[name].mask(shared, root[name]) for name in ("publication_date", *ENDS_OF_MODEL)}
    )
    least = rounded(known[ENDS_OF_MODEL[0]].where(known[FIELD].isna()))
    made = made.assign(most_flop=rounded(most_flop(known["publication_date"], clusters)), least_flop=least)
    made = made.assign(**_truncated(made, known))
    return made.sort_values("model_id", ignore_index=True)


def _figures(estimates: pd.DataFrame, revisions: pd.DataFrame | None) -> pd.Series:
    """By model_id the figure that no source stands by: one in a note, else the last value that a source left blank
    again."""
    noted = estimates[(estimates["method"] == note.METHOD) & estimates["value"].notna()].set_index("model_id")["value"]
    if revisions is None:
        return noted
    gone = revisions[(revisions["field"] == FIELD) & (revisions["kind"] == "blanked")]
    last = gone.sort_values(["to_snapshot", "revision_id"]).drop_duplicates("model_id", keep="last")
    return noted.combine_first(last.set_index("model_id")["old_value"])


def _with_noted(chosen: pd.DataFrame, figures: pd.Series) -> pd.DataFrame:
    """The chosen distributions, where they come from a regression in the middle between this and the band of a figure
    that no source stands by, if the figure is not beyond the interval: both rest on much the same (what such models can
    do), so that together they are no surer than one."""
    figure = log10(figures.reindex(chosen.index).to_numpy(dtype="float64"))
    own = log10(chosen[QUANTILES].to_numpy())
    with np.errstate(invalid="ignore"):
        used = (chosen["tier"] >= SIZE) & (own[:, 0] <= figure) & (figure <= own[:, -1])
    both = (own + figure[:, None] + WITHDRAWN_DEX / Z[-1] * Z) / 2
    columns = zip(QUANTILES, both.T, strict=True)
    return chosen.assign(
        **{name: chosen[name].mask(used, rounded(pd.Series(10**dex, index=chosen.index))) for name, dex in columns}
    )


def _led_by_bases(made: pd.DataFrame, models: pd.DataFrame, up: dict[str, float]) -> pd.DataFrame:
    """The chosen distributions, with the base's where the own one comes from the regression on size or kind and the
    base has no value, or where a bound by the base's compute lies below what is likely of the base. Another name of the
    same model, or an earlier model of the same size and line, counts as a base where none is known; so does the version
    before where date and kind alone are known, and more of that version."""
    known = models.set_index("model_id")["base_model_id"].reindex(made.index)
    of_name = heads(models).astype("str").fillna(same_size(models))
    base = _or_version(known.fillna(of_name.set_axis(models["model_id"]).reindex(made.index)), made, models)
    tier_of_base = base.map(made["tier"])
    by_regression = (made["tier"] >= SIZE) & (made["method"] == statistical.METHOD)
    by_regression &= (
        (tier_of_base >= BASE) | (known.isna() & tier_of_base.notna()) | (made["flop_50"] < base.map(made["flop_05"]))
    )
    below = (
        (made["tier"] == BASE) & (tier_of_base >= ESTIMATED) & (made["flop_05"] < base.map(_likely_least(made, models)))
    )
    led = from_bases(made, base, (by_regression | below) & bool(up), up)
    surer = (by_regression | below) & (led["tier"] < BASE)
    return led.assign(tier=led["tier"].mask(surer, BASE), method=led["method"].mask(surer, base_model.METHOD))


def _likely_least(made: pd.DataFrame, models: pd.DataFrame) -> pd.Series:
    """The 5 % points, given what a source states as the least."""
    least = models.set_index("model_id")[ENDS_OF_MODEL[0]].reindex(made.index).fillna(0).to_numpy(dtype="float64")
    with np.errstate(divide="ignore"):
        dex = truncated(log10(made[QUANTILES].to_numpy()), log10(least), np.full(len(made), np.inf))
    return pd.Series(10 ** dex[:, 0], index=made.index)


def _or_version(base: pd.Series, made: pd.DataFrame, models: pd.DataFrame) -> pd.Series:
    """`base` or, of models of which only date and kind are known, the version before, if more is known of what that
    follows."""
    before = earlier_version(models).set_axis(models["model_id"]).reindex(made.index).where(made["tier"] == KIND)
    followed, known = base.fillna(before), made["tier"] < KIND
    while (more := followed.map(known).eq(True) & ~known).any():
        known |= more
    return base.fillna(before.where(before.map(known).eq(True)))


def _one_each(made: pd.DataFrame, run: pd.Series, open_: pd.Series) -> pd.DataFrame:
    """The distributions, where `open_` that of the model that gives the run its name."""
    followed = run.where(open_ & run.map(open_).eq(True), made.index)
    return made.loc[followed].set_axis(made.index)


def _truncated(made: pd.DataFrame, known: pd.DataFrame) -> dict[str, pd.Series]:
    """QUANTILES given the bounds of `known` and `most_flop`, which is no limit to what starts above it, nor to what a
    source states."""
    low, stated = known[ENDS_OF_MODEL[0]].fillna(0), known[ENDS_OF_MODEL[1]].fillna(np.inf)
    is_limit = (made["most_flop"] > low) & (made["tier"] != PUBLISHED)
    high = stated.clip(upper=made["most_flop"].where(is_limit, np.inf))
    with np.errstate(divide="ignore"):
        dex = truncated(log10(made[QUANTILES].to_numpy()), log10(low.to_numpy()), log10(high.to_numpy()))
    cut = zip(QUANTILES, dex.T, strict=True)
    return {name: rounded(pd.Series(10**column, index=made.index)).clip(low, high) for name, column in cut}


def choose(estimates: pd.DataFrame, models: pd.DataFrame, intervals: pd.DataFrame) -> pd.DataFrame:
    """Of each model the estimate that its distribution comes from, with tier: the selected value, else the base's
    compute if it is known and nothing contradicts it, else the regression."""
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


def _with_published(chosen: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """The distributions with those of published values in place of what the regression says of these models."""
    value, low, high = (known[name] for name in (FIELD, *ENDS_OF_MODEL))
    quarters = [formulas.upper(value, np.log10(end / value) * QUARTER) for end in (low, high)]
    found = zip(QUANTILES, [low, quarters[0], value, quarters[1], high], strict=True)
    of_source = chosen["tier"] == PUBLISHED
    return chosen.assign(
        **{name: chosen[name].mask(of_source, rounded(part)) for name, part in found},
        method=chosen["method"].mask(of_source),
        estimate_id=chosen["estimate_id"].mask(of_source),
    )
