"""The 90 % interval of each training compute in `models`, and the most compute that one run could have had.

A published value has the band of its confidence word: value ÷ f to value × f, f = 3 (confident), 10 (likely), 31
(speculative) (schemas/vocab/confidence.yml), narrower if the developer reports it. A value that is 6 · N · D of the
parameters and tokens in the table is as sure as that method: f = 3 at most. A bound that a source states stays. A total
that is at least its base's has no lower low end than the base's; no other upper end is above `most_flop`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import duckdb
import numpy as np
import pandas as pd

from pipeline.frames import significant
from pipeline.impute.methods import base_model
from pipeline.impute.results import CONFIDENT, ENDS, FIELD, LIKELY, OPERATIONS, has_word, log10, rounded
from pipeline.paths import CHECKOUT
from traincompute.units import FLOP_PER_PFS_DAY

LOW, HIGH = "training_compute_low", "training_compute_high"
# The developer knows tokens and parameters; what remains open is the convention (8 or 6 FLOP per parameter and token,
# a factor of 1.33) and rounding. Of 21 reported values that operation counting applies to, 20 are within this factor.
REPORTED = 1.5
SAME = 0.05  # a value this close to 6ND was worked out that way, from parameters and tokens as its source rounds them
WITHOUT = 0.95  # a published value below this share of its base's leaves the base out
VIEW = CHECKOUT / "pipeline" / "publish" / "sql" / "cluster_supply.sql"
DAYS, DAYS_OF_VIEW = 180, 90
MORE_TOKENS = 1.5
SLACK_DEX = 0.15  # clusters that nobody has listed, and more days or a better use than these


def fill(models: pd.DataFrame, estimates: pd.DataFrame, bands: Mapping[str, float]) -> pd.DataFrame:
    """The models with the selected estimates filled in where no source has a value, marked as imputed, with their
    intervals; published values have the band of `bands` (confidence word → factor). A bound that a source states stays;
    without a value the higher of the two lower bounds is kept, unless a source states an upper one."""
    taken = estimates[estimates["is_selected"]].set_index("model_id")
    ids = models["model_id"]
    missing = models[FIELD].isna() & ids.map(taken["value"]).notna()
    flop, low, high = models[FIELD].where(~missing, ids.map(taken["value"])), models[LOW], models[HIGH]
    least, most = ids.map(taken["low"]), ids.map(taken["high"])
    higher = low.mask(least.gt(low) | low.isna(), least).mask(high.notna(), low)
    factor = band_factor(models, bands)
    below, above = rounded(models[FIELD] / factor), rounded(models[FIELD] * factor)
    return models.assign(
        training_compute_flop=flop,
        training_compute_low=low.mask(missing, low.fillna(least)).mask(flop.isna(), higher).fillna(below),
        training_compute_high=high.mask(missing | (flop.isna() & low.isna()), high.fillna(most)).fillna(above),
        training_compute_pfs_days=significant((flop / FLOP_PER_PFS_DAY).to_numpy()),
        training_compute_source=models["training_compute_source"].mask(missing, "imputed"),
        training_compute_method=models["training_compute_method"].where(~missing, ids.map(taken["method"])),
        training_compute_confidence=models["training_compute_confidence"].mask(missing),
    )


def band_factor(models: pd.DataFrame, bands: Mapping[str, float]) -> pd.Series:
    """The factor either way within which a model's published value is taken to lie, by who says it and how surely."""
    factor = models["training_compute_confidence"].map(bands).astype("float64").fillna(LIKELY)
    product = OPERATIONS * models["parameters_active"].fillna(models["parameters"])
    counts = (models[FIELD] / (product * models["training_tokens"]) - 1).abs().lt(SAME) & models["base_model_id"].isna()
    factor = factor.mask(counts, factor.clip(upper=CONFIDENT))
    return factor.mask(models["training_compute_source"] == "reported", REPORTED)


def not_below_base(
    models: pd.DataFrame, estimates: pd.DataFrame, stated: pd.Series
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The models (with the selected estimates put in; `stated` are the low ends that sources state) and the estimates
    with low ends that follow from the base's: that of a total that is at least its base's lies no lower, if not above
    the value; that of a model of which no more than the base is known is the base's, which is no surer than its own."""
    known = models[["model_id", "base_model_id", LOW, FIELD]].set_index("model_id")
    low, flop, stated = known[LOW].copy(), known[FIELD], stated.set_axis(known.index)
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


def bases_first(base: pd.Series) -> Iterator[pd.Index]:
    """The models of `base` (base's model_id by model_id) in groups, a base before what was made from it."""
    waiting = base.index
    while len(ready := waiting[~base[waiting].isin(waiting).to_numpy()]):
        yield ready
        waiting = waiting.difference(ready)


def most_by_size(models: pd.DataFrame) -> pd.Series:
    """The FLOP that a language model of known size would take with MORE_TOKENS times as many tokens as any model states
    to have seen; null for all others. Of 787 published values of such models three are above this: ALBERT, which uses
    its parameters several times a token, and Composer 2 and 2.5, which learned mostly by reinforcement."""
    active = models["parameters_active"].fillna(models["parameters"])
    flop: pd.Series = OPERATIONS * active * (MORE_TOKENS * models["training_tokens"].max())
    return flop.where(has_word(models["domains"], "Language"))


def most_flop(dates: pd.Series, clusters: pd.DataFrame | None) -> pd.Series:
    """The most FLOP that anybody could have put into one run by each date: the largest cluster then running, for half a
    year at 40 % of its dense 16-bit peak; after the last such record the upper end of the line through them. Null
    before the first record, for no date and without `clusters`.

    The view `cluster_supply` has the records and the line for 90 days; the upper end of the line, twice the line or
    more, needs no doubling of the days. Of the 1,207 values published since 2018 none exceeds this limit; with 90 days
    one does."""
    limit = pd.Series(np.nan, index=dates.index)
    if clusters is None:
        return limit
    with duckdb.connect() as connection:
        connection.register("clusters", clusters)
        supply = connection.sql(VIEW.read_text(encoding="utf-8")).df()
    records, line = supply[~supply["is_fit"]], supply[supply["is_fit"]].dropna(subset=["date", "flop_high"])
    if not len(records):
        return limit
    known = dates.notna().to_numpy()
    of_days = dates[known], records["date"], line["date"]
    day, started, at = (some.to_numpy().astype("datetime64[D]").astype("int64") for some in of_days)
    place = np.searchsorted(started, day, side="right") - 1
    largest = np.append(log10(records["flop"].to_numpy() * DAYS / DAYS_OF_VIEW), np.nan)[place]  # -1 picks the last
    if len(line) > 1:  # straight on before its first and after its last year
        end = log10(line["flop_high"].to_numpy())
        part = np.clip(np.searchsorted(at, day) - 1, 0, len(at) - 2)
        slope = (end[part + 1] - end[part]) / (at[part + 1] - at[part])
        upper = (end[part] + slope * (day - at[part])).round(9)
        largest = np.where(day > started[-1], np.maximum(largest, upper), largest)
    limit[known] = 10 ** (largest + SLACK_DEX)
    return limit
