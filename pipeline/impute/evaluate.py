"""Fits a calibration to some of the models with a published value and judges it on others: by folds, forward in time,
and with all but date and kind, or all but these and size, withheld.

No model is predicted from those of its own owner (statistical.folds). Withheld are the published value, bounds on it,
figures in notes, cost, power, the frontier flag, and a utilisation with which chips × hours × peak give back the
published value. That of a base model may be used. The judged rows are one per model and method: a method by itself, and
`cascade` (the physical method that would be taken, else the interval from the base's compute up, else the index or the
regression), with ENDS in dex from the value and `tier`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import fsum
from typing import NamedTuple

import numpy as np
import pandas as pd

from pipeline.impute import choose, intervals
from pipeline.impute.intervals import Calibrated
from pipeline.impute.methods import PHYSICAL, base_model, capability_index, hardware, operation_count, statistical
from pipeline.impute.methods.base_model import ALONE
from pipeline.impute.predictions import Tier
from pipeline.impute.results import DECIMALS, ENDS, FIELD, OPERATIONS, log10

CASCADE, ALL = "cascade", "all"
ORIGINS = range(2018, 2027, 2)
MISS = 20  # 2 / 0.1, what a dex beyond the end of a 90 % interval costs
ROUNDED = 4
SIZE = ("parameters", "parameters_active")
MEASURED = [*SIZE, "training_tokens", "dataset_size", "epochs", "batch_size", "finetune_compute_flop",
            "hardware_quantity", "training_hours", "chip_hours", "forward_flop", "training_examples",
            "training_factor", "capability_index", *hardware.RATES.values()]  # fmt: skip
TELLING = ("at_least", "at_most", "noted_low", "noted_high")
PREDICTED = ["model_id", "method", "assumptions", "inputs_dex", "value", "taken"]
SAME = 0.05  # a published value this close to 6 · N · D or to a hardware product is not independent of it
CUSTOMARY_SHARES = (0.30, 0.35, 0.40, 0.50)  # of the peak rate, with which publishers usually multiply
GIVEN_BACK = 0.02  # … and this close with the utilisation given, the utilisation is computed from it
COPY = 0.5  # how much a copy counts (`with_copies`)
# How much models count for the intervals; with equal weights these hold only 81 to 83 % of the independent values
DEPENDENT, NOT_NOTABLE = 0.4, 0.25
Line = dict[str, object]


class Material(NamedTuple):
    """The models with a published value: rows without what is computed from it, the FLOP of their base models, the
    results of the physical methods (`taken`: which one would be), the base's compute by model_id where that alone is
    known, and `about` (see `describe`) by model_id in the order of the rows."""

    rows: pd.DataFrame
    bases: pd.Series
    physical: pd.DataFrame
    alone: pd.Series
    about: pd.DataFrame


def prepare(rows: pd.DataFrame, edges: pd.DataFrame, about: pd.DataFrame) -> Material:
    """What all calibrations on these rows have in common; others may be made from the published value, which stays."""
    given_back = (hardware.estimate(rows)["value"] / rows[FIELD] - 1).abs() < GIVEN_BACK
    utilization = rows["hardware_utilization"].mask(given_back)
    rows = rows.assign(hardware_utilization=utilization, **dict.fromkeys(TELLING, np.nan))
    results, bases = choose.physical(rows, edges)
    judged = choose.judge(results, rows.assign(**{FIELD: np.nan}))
    made = pd.concat([results[method].assign(taken=judged[method]["is_selected"]) for method in PHYSICAL])
    known = rows["model_id"].isin(about["model_id"]).to_numpy()
    made = made[made["model_id"].isin(about["model_id"])]
    alone = made[made["assumptions"] == ALONE].set_index("model_id")["low"]
    by_row = about.set_index("model_id").reindex(rows.loc[known, "model_id"])
    return Material(rows[known], bases[known], made.loc[made["value"].notna(), PREDICTED], alone, by_row)


def describe(rows: pd.DataFrame, edges: pd.DataFrame) -> pd.DataFrame:
    """What scores are grouped by, for the rows with a published value: that value, year, notable, whole, independent,
    fold, and the weight for the intervals.

    A value is not the whole if it is less than those of the models that it was made from: it leaves them out. It is
    independent if it is neither 6 · N · D (once, or × epochs) nor a hardware product within 5 %."""
    flop, notable = rows[FIELD], rows["is_notable"].astype("bool")
    published = rows.set_index("model_id")[FIELD]
    bases = base_model.base_compute(edges[edges["model_id"].isin(published.index)], published, partial=True)
    whole = ~(flop < bases.set_axis(rows.index) * (1 - SAME))  # epoch.ai/data/ai-models-documentation/estimation
    n = rows["parameters_active"].fillna(rows["parameters"])
    once = OPERATIONS * n * rows["training_tokens"].fillna(rows["dataset_size"])
    full = hardware.peak_flop(rows)
    products = [full * share for share in (*CUSTOMARY_SHARES, rows["hardware_utilization"])]
    products += [once, once * rows["epochs"], *(way.estimate(rows)["value"] for way in (hardware, operation_count))]
    independent = whole & flop.notna() & ~np.any([(each / flop - 1).abs() < SAME for each in products], axis=0)
    about = {
        "model_id": rows["model_id"],
        "published": flop,
        "year": rows["publication_date"].dt.year,
        "notable": notable,
        "whole": whole,
        "independent": independent,
        "fold": statistical.folds(rows["owner"]),
        "weight": np.where(independent, 1, DEPENDENT) * np.where(notable, 1, NOT_NOTABLE),
    }
    return pd.DataFrame(about)[flop.notna()]


def masked(material: Material, kept: Sequence[str] = ()) -> Material:
    """The models as if nothing were known of them but date, kind and maker, and the numbers `kept`."""
    rows = material.rows.assign(**dict.fromkeys([name for name in MEASURED if name not in kept], np.nan))
    rows = rows.assign(dataset_unit=pd.Series(None, index=rows.index, dtype="str"))
    return Material(rows, material.bases * np.nan, material.physical[:0], material.alone[:0], material.about)


def with_copies(material: Material) -> Material:
    """The models and, in the same order after them, their copies with a model_id of their own: of one nothing is known
    but date and kind, of the other its size, too. `about` has the `share` that each counts.

    Among published values an unknown size goes with an old or a small model, today with a large one whose maker says
    nothing. With the copies the regression learns what date, kind and size alone say, and the intervals how little."""
    sized = material.rows["parameters"].notna().to_numpy()  # of the others both copies would be the same
    share = np.concatenate([np.ones(len(sized)), np.full(len(sized), COPY), np.where(sized, COPY, 0.0)])
    copies = material, masked(material), masked(material, SIZE)
    ids = [name + ending for ending in ("", " (masked)", " (sized)") for name in material.about.index]
    rows = pd.concat([copy.rows for copy in copies], ignore_index=True).assign(model_id=ids)
    bases = pd.concat([copy.bases for copy in copies], ignore_index=True)
    about = pd.concat([material.about] * len(copies)).set_axis(ids)
    counted = {"weight": about["weight"] * share, "published": about["published"].where(share > 0)}
    return material._replace(rows=rows, bases=bases, about=about.assign(share=share, **counted))


def fit(material: Material, train: np.ndarray) -> Calibrated:
    """The calibration from the models for which `train` (in the order of the rows) is true."""
    material = with_copies(material)
    train = np.resize(train, len(material.rows))  # and so the copies of each model
    rows, about, allowed = material.rows, material.about, pd.Series(train, index=material.rows.index)
    coefficients = statistical.fit(rows, material.bases, allowed * about["share"].to_numpy())
    made = samples(material, coefficients)
    errors = made[made["model_id"].isin(about.index[train]) & made["error_dex"].notna()]
    # how far models lie above their base where that alone is known; but not those that leave it out
    above = pd.Series(log10(about["published"].reindex(material.alone.index) / material.alone))
    above = above[above.index.isin(errors["model_id"]) & (above > -intervals.LEAST_DEX)].clip(lower=0)
    up = {"model_id": above.index, "method": base_model.METHOD, "assumptions": ALONE, "weight": 1.0}
    errors = pd.concat([errors, pd.DataFrame({**up, "error_dex": -above.to_numpy()})], ignore_index=True)
    line = capability_index.fit(rows, allowed & about["whole"].to_numpy(dtype="bool"))
    return Calibrated(coefficients, line, intervals.make_intervals(errors))


def samples(material: Material, coefficients: pd.DataFrame) -> pd.DataFrame:
    """The predictions of the physical methods and the regression: PREDICTED, what is known about the model, and
    error_dex, null where the published value leaves the base out."""
    regression = statistical.estimate(material.rows, material.bases, coefficients)
    regression = regression.assign(model_id=material.rows["model_id"], method=statistical.METHOD, taken=False)
    # an empty one would change the types of the columns
    parts = [part for part in (material.physical, regression) if len(part)]
    made = pd.concat(parts, ignore_index=True).reindex(columns=PREDICTED).join(material.about, on="model_id")
    whole = made["published"].where(made["whole"].astype("bool"))
    return made.assign(error_dex=log10(made["value"] / whole))


def judge(material: Material, calibrated: Calibrated, test: np.ndarray) -> pd.DataFrame:
    """The predictions of every method on the models for which `test` is true, with ENDS in dex from the value, and the
    tier: what the estimate rests on, null where it is not needed; once more as CASCADE those that would be taken."""
    made = samples(material, calibrated.coefficients)
    made = made[made["model_id"].isin(material.about.index[test])]
    made = made.join(intervals.quantiles(made, calibrated.intervals))
    index = capability_index.estimate(material.rows[test], calibrated.capability_index).dropna(subset="value")
    dex = {name: log10(index[name] / index["value"]) for name in ENDS}
    ids = material.rows["model_id"].loc[index.index]
    index = index[["assumptions", "value"]].assign(model_id=ids, method=capability_index.METHOD, taken=False, **dex)
    if len(index):  # an empty one would change the types
        made = pd.concat([made, index.join(material.about, on="model_id")], ignore_index=True)
    taken, regressed = made["taken"].astype("bool"), ~made["method"].isin(PHYSICAL)
    estimated = made["model_id"].isin(made.loc[taken, "model_id"])
    better = made["model_id"].isin(index["model_id"]) & made["method"].eq(statistical.METHOD)
    needed = taken | (regressed & ~estimated & ~better)
    kind = made["assumptions"].eq(statistical.STARTS[-1]).map({True: Tier.KIND, False: Tier.SIZE})
    made = made.assign(tier=kind.where(regressed, Tier.ESTIMATED).where(needed).astype("Int64"))
    # where the base's compute alone is known and an estimate is needed: the interval from that up
    up, mask = intervals.above_base(calibrated.intervals), made["model_id"].isin(material.alone.index)
    mask = mask & made["tier"].isin([Tier.SIZE, Tier.KIND])
    if up is not None and mask.any():
        base = pd.Series(log10(made["model_id"].map(material.alone) / made["value"]))
        moved = {name: (base + distance).where(mask, made[name]) for name, distance in zip(ENDS, up, strict=True)}
        made = made.assign(**moved, tier=made["tier"].mask(mask, Tier.BASE))
    return pd.concat([made, made[made["tier"].notna()].assign(method=CASCADE)], ignore_index=True)


def judge_all(material: Material) -> dict[str, pd.DataFrame]:
    """Each model judged by a calibration without its fold (`folds`), the same with nothing known but date and kind
    (`masked`) or these and its size (`sized`); and (`forward`) the models of two years each by those before."""
    fold, year = (material.about[name].to_numpy() for name in ("fold", "year"))
    folds = [(fit(material, fold != number), fold == number) for number in range(statistical.FOLDS)]
    spans = [(fit(material, year < first), (year >= first) & (year < first + ORIGINS.step)) for first in ORIGINS]
    shown = {"folds": material, "masked": masked(material), "sized": masked(material, SIZE)}
    made = {name: [judge(some, *one) for one in folds] for name, some in shown.items()}
    made["forward"] = [judge(material, *one) for one in spans]
    return {name: pd.concat(parts, ignore_index=True) for name, parts in made.items()}


def scored(made: pd.DataFrame, target: pd.Series) -> pd.DataFrame:
    """The rows with a target (FLOP by model_id), with error_dex = log10(value ÷ target), whether the target lies inside
    the 50 and the 90 % interval, that one's half-width, and its score in dex, the lower the better: the width and 20
    times what lies beyond it (Winkler 1972, doi:10.1080/01621459.1972.10481224)."""
    made = made.assign(published=made["model_id"].map(target)).dropna(subset="published")
    off = pd.Series(log10(made["published"] / made["value"]))
    low, lower, _, upper, high = (made[name] for name in ENDS)
    return made.assign(
        error_dex=-off,
        inside_50=off.between(lower, upper),
        inside_90=off.between(low, high),
        half_width_90=(high - low) / 2,
        winkler=high - low + MISS * ((low - off).clip(lower=0) + (off - high).clip(lower=0)),
    )


def measure(
    judged: pd.DataFrame, evaluation: str, inputs: str, subsets: Iterable[str], by_tier: bool
) -> Iterator[Line]:
    """A row of `calibration` for each method and subset of the judged predictions (`scored`), of CASCADE by tier."""
    for subset in subsets:
        rows = judged if subset == ALL else judged[judged[subset]]
        parts = [rows.assign(tier=ALL)]
        if by_tier:
            parts.append(rows[rows["method"] == CASCADE].astype({"tier": "str"}))
        for (method, tier), part in pd.concat(parts).groupby(["method", "tier"]):
            key = {"evaluation": evaluation, "inputs": inputs, "method": method, "subset": subset, "tier": tier}
            yield key | figures(part)


def figures(part: pd.DataFrame) -> dict[str, float]:
    """n, bias of the errors, share within a factor of 3, coverage, width and score of the intervals, by exact sums."""
    from scipy.stats import binomtest  # an extra, which a build does without

    n, error = len(part), part["error_dex"]
    # the exact interval of Clopper and Pearson (1934, doi:10.1093/biomet/26.4.404)
    covered = binomtest(int(part["inside_90"].sum()), n).proportion_ci(0.95, method="exact")
    made = {
        "median_error_dex": error.median(),
        "within_3": (error.abs() <= log10(np.float64(3))).sum() / n,
        **{f"coverage_{level}": part[f"inside_{level}"].sum() / n for level in (50, 90)},
        "coverage_90_low": covered.low,
        "coverage_90_high": covered.high,
        "mean_half_width_90_dex": fsum(part["half_width_90"]) / n,
        "winkler_90_dex": fsum(part["winkler"]) / n,
    }
    return {"n": n} | {name: round(round(float(value), DECIMALS), ROUNDED) + 0.0 for name, value in made.items()}
