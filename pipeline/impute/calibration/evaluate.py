"""Fits a calibration to some of the models with a published value and judges it on others: by folds, forward in time,
and with all but date and kind, or all but these and size, withheld.

No model is predicted from those of its own owner (features.folds). The judged rows are one per model and method: a
method by itself, `physical` (the physical method that would be taken) and `cascade` (that, else the interval from the
base's compute up, else the index or the regression), with ENDS in dex from the value and `tier`."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from pipeline.impute.calibration.material import PHYSICAL, PREDICTED, SIZE, Material, masked, with_copies
from pipeline.impute.digits import DECIMALS, log10, share, total
from pipeline.impute.flop import intervals
from pipeline.impute.flop.calibration_tables import Calibrated
from pipeline.impute.flop.formulas import ALONE
from pipeline.impute.flop.methods import base_model, capability_index, statistical
from pipeline.impute.flop.methods.features import FOLDS, STARTS
from pipeline.impute.flop.predictions import Tier
from pipeline.impute.flop.result import ENDS
from traincompute.base.quantiles import SHARES

ANY_PHYSICAL, CASCADE = "physical", "cascade"
ORIGINS = range(2018, 2027, 2)
MISS = 20  # 2 / 0.1, what a dex beyond the end of a 90 % interval costs
ALL = "all"
PERIODS = {
    "before 2010": (-np.inf, 2010),
    "2010-2017": (2010, 2018),
    "2018 on": (2018, np.inf),
    "2022 on": (2022, np.inf),
}
STRATA = ("tier", "domain", "period", "confidence")
ROUNDED = 4
Line = dict[str, object]


def fit(material: Material, train: np.ndarray) -> Calibrated:
    """The calibration from the models for which `train` (in the order of the rows) is true."""
    material = with_copies(material)
    train = np.resize(train, len(material.rows))  # and so the copies of each model
    rows, about, allowed = material.rows, material.about, pd.Series(train, index=material.rows.index)
    coefficients = statistical.fit(rows, material.bases, allowed * about["share"].to_numpy())
    made = samples(material, coefficients)
    errors = made[made["model_id"].isin(about.index[train]) & made["error_dex"].notna()]
    errors = pd.concat([errors, _above_base(material, errors["model_id"])], ignore_index=True)
    line = capability_index.fit(rows, allowed & about["whole"].to_numpy(dtype="bool"))
    return Calibrated(coefficients, line, intervals.make_intervals(errors))


def samples(material: Material, coefficients: pd.DataFrame) -> pd.DataFrame:
    """The predictions of the physical methods and the regression: PREDICTED, what is known about the model, and
    error_dex, null where the published value leaves the base out."""
    regression = statistical.predict(material.rows, material.bases, coefficients)
    regression = regression.assign(model_id=material.rows["model_id"], method=statistical.METHOD, taken=False)
    # an empty one would change the types of the columns
    parts = [part for part in (material.physical, regression) if len(part)]
    made = pd.concat(parts, ignore_index=True).reindex(columns=PREDICTED).join(material.about, on="model_id")
    whole = made["published"].where(made["whole"].astype("bool"))
    return made.assign(error_dex=log10(made["value"] / whole))


def _above_base(material: Material, ids: pd.Series) -> pd.DataFrame:
    """How far the models with these ids lie above their base where that alone is known; but not those that leave it
    out."""
    above = pd.Series(log10(material.about["published"].reindex(material.alone.index) / material.alone))
    above = above[above.index.isin(ids) & (above > -intervals.LEAST_DEX)].clip(lower=0)
    found = {"model_id": above.index, "method": base_model.METHOD, "assumptions": ALONE, "weight": 1.0}
    return pd.DataFrame({**found, "error_dex": -above.to_numpy()})


def judge(material: Material, calibrated: Calibrated, test: np.ndarray) -> pd.DataFrame:
    """The predictions of every method on the models for which `test` is true, with ENDS in dex from the value, and the
    tier: what the estimate rests on, null where it is not needed."""
    made = samples(material, calibrated.coefficients)
    made = made[made["model_id"].isin(material.about.index[test])]
    made = made.join(intervals.quantiles(made, calibrated.intervals))
    index = capability_index.predict(material.rows[test], calibrated.capability_index).dropna(subset="value")
    dex = {name: log10(index[name] / index["value"]) for name in ENDS}
    ids = material.rows["model_id"].loc[index.index]
    index = index[["assumptions", "value"]].assign(model_id=ids, method=capability_index.METHOD, taken=False, **dex)
    if len(index):  # an empty one would change the types
        made = pd.concat([made, index.join(material.about, on="model_id")], ignore_index=True)
    taken, regressed = made["taken"].astype("bool"), ~made["method"].isin(PHYSICAL)
    estimated = made["model_id"].isin(made.loc[taken, "model_id"])
    better = made["model_id"].isin(index["model_id"]) & made["method"].eq(statistical.METHOD)
    needed = taken | (regressed & ~estimated & ~better)
    kind = made["assumptions"].eq(STARTS[-1]).map({True: Tier.KIND, False: Tier.SIZE})
    tier = kind.where(regressed, Tier.ESTIMATED).where(needed).astype("Int64")
    return _from_base(made.assign(tier=tier), material.alone, calibrated)


def _from_base(made: pd.DataFrame, alone: pd.Series, calibrated: Calibrated) -> pd.DataFrame:
    """The same with the interval from the base's compute up where that alone is known and an estimate is needed."""
    up = intervals.above_base(calibrated.intervals)
    mask = made["model_id"].isin(alone.index) & made["tier"].isin([Tier.SIZE, Tier.KIND])
    if up is None or not mask.any():
        return made
    base = pd.Series(log10(made["model_id"].map(alone) / made["value"]))
    moved = {name: (base + distance).where(mask, made[name]) for name, distance in zip(ENDS, up, strict=True)}
    return made.assign(**moved, tier=made["tier"].mask(mask, Tier.BASE))


def by_folds(material: Material) -> list[pd.DataFrame]:
    """Each model judged by a calibration without its fold; the same models with nothing known but date and kind; and
    with their size."""
    fold = material.about["fold"].to_numpy()
    shown = material, masked(material), masked(material, SIZE)
    parts: list[list[pd.DataFrame]] = [[], [], []]
    for number in range(FOLDS):
        calibrated = fit(material, fold != number)
        for part, seen in zip(parts, shown, strict=True):
            part.append(judge(seen, calibrated, fold == number))
    return [labelled(pd.concat(part)) for part in parts]


def forward(material: Material) -> pd.DataFrame:
    """The models of two years each judged by a calibration from those published before."""
    year = material.about["year"].to_numpy()
    ends = [(first, first + ORIGINS.step) for first in ORIGINS]
    return labelled(
        pd.concat([judge(material, fit(material, year < first), (year >= first) & (year < end)) for first, end in ends])
    )


def labelled(made: pd.DataFrame) -> pd.DataFrame:
    """The rows by themselves, and once more under the names of what would be taken."""
    physical, needed = made[made["tier"] == Tier.ESTIMATED], made[made["tier"].notna()]
    return pd.concat([made, physical.assign(method=ANY_PHYSICAL), needed.assign(method=CASCADE)], ignore_index=True)


def scored(made: pd.DataFrame, target: pd.Series) -> pd.DataFrame:
    """The rows with a target (FLOP by model_id), with error_dex = log10(value ÷ target), whether the target lies inside
    the 50 and the 90 % interval, that one's half-width, and two scores in dex, the lower the better: `winkler`, the
    width of the 90 % interval and twenty times what lies beyond it (Winkler 1972, doi:10.1080/01621459.1972.10481224),
    and `pinball`, the mean loss of the five quantiles (Koenker & Bassett 1978, doi:10.2307/1913643)."""
    made = made.assign(published=made["model_id"].map(target)).dropna(subset="published")
    off = pd.Series(log10(made["published"] / made["value"]))
    low, lower, _, upper, high = (made[name] for name in ENDS)
    beyond = {part: off - made[name] for part, name in zip(SHARES, ENDS, strict=True)}
    return made.assign(
        error_dex=-off,
        inside_50=off.between(lower, upper),
        inside_90=off.between(low, high),
        half_width_90=(high - low) / 2,
        winkler=high - low + MISS * ((low - off).clip(lower=0) + (off - high).clip(lower=0)),
        pinball=sum(np.maximum(part * more, (part - 1) * more) for part, more in beyond.items()) / len(SHARES),
    )


def measure(
    judged: pd.DataFrame, evaluation: str, inputs: str, subsets: Iterable[str], strata: Sequence[str]
) -> Iterator[Line]:
    """A row of `calibration` for each method and subset (`all`, or a column that says which) of the judged predictions
    (`scored`), overall and by each of `strata`."""
    for subset in subsets:
        rows = judged if subset == ALL else judged[judged[subset]]
        for method, group in rows.groupby("method", sort=True):
            about = {"evaluation": evaluation, "inputs": inputs, "method": method, "subset": subset}
            for key, part in _parts(group, strata if method in (ANY_PHYSICAL, CASCADE) else ()):
                yield about | dict.fromkeys(STRATA, ALL) | key | figures(part)


def _parts(group: pd.DataFrame, strata: Sequence[str]) -> Iterator[tuple[Line, pd.DataFrame]]:
    """The whole group, and its parts that have rows by each of `strata`."""
    yield {}, group
    for name in strata:
        if name == "period":
            parts = {label: group[group["year"].between(*ends, "left")] for label, ends in PERIODS.items()}
        else:
            parts = {str(word): part for word, part in group.groupby(name, sort=True)}
        for label, part in parts.items():
            if len(part):
                yield {name: label}, part


def figures(part: pd.DataFrame) -> dict[str, float]:
    """n, bias and spread of the errors, shares within factors, coverage, width and scores of the intervals."""
    one, error = np.ones(len(part)), part["error_dex"].to_numpy()
    median = float(np.median(error))
    made = {"n": len(part), "median_error_dex": median, "mad_dex": float(np.median(np.abs(error - median)))}
    made |= {f"within_{factor}": share(one, np.abs(error) <= log10(np.float64(factor))) for factor in (2, 3, 10)}
    made |= {f"coverage_{level}": share(one, part[f"inside_{level}"].to_numpy(dtype="bool")) for level in (50, 90)}
    # the exact interval of Clopper and Pearson (1934, doi:10.1093/biomet/26.4.404)
    covered = binomtest(int(part["inside_90"].sum()), len(part)).proportion_ci(0.95, method="exact")
    made |= {"coverage_90_low": float(covered.low), "coverage_90_high": float(covered.high)}
    made |= {"half_width_90_dex": float(part["half_width_90"].median())}
    scores = {"mean_half_width_90_dex": "half_width_90", "winkler_90_dex": "winkler", "pinball_dex": "pinball"}
    made |= {name: total(part[column]) / len(part) for name, column in scores.items()}
    return {
        name: value if name == "n" else round(round(value, DECIMALS), ROUNDED) + 0.0 for name, value in made.items()
    }
