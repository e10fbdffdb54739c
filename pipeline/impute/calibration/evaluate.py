"""Judges calibrations on models that had no part in them: by folds, forward in time, and with all but date and kind
withheld.

Each function returns a row per model and method: a method by itself, `physical` (the physical method that would be
taken) and `cascade` (that, else the interval from the base's compute up, else the regression), with `low`, the
quantiles and `high` in dex from the value, `tier`, and `alike_dex`, the half-width by errors of the same kind alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import fsum

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from pipeline.impute.calibration.fit import fit, judge, samples
from pipeline.impute.calibration.material import SIZE, Material, masked
from pipeline.impute.digits import DECIMALS, log10
from pipeline.impute.flop import conformal
from pipeline.impute.flop.conformal import LEVELS
from pipeline.impute.flop.methods import capability_index
from pipeline.impute.flop.methods.features import FOLDS
from pipeline.impute.flop.predictions import ESTIMATED
from pipeline.impute.flop.result import ENDS
from traincompute.base.quantiles import SHARES
from traincompute.show.waiting import Say, silent

ANY_PHYSICAL, CASCADE = "physical", "cascade"
ORIGINS = range(2018, 2027, 2)
MISS = 20  # 2 / 0.1, what a dex beyond the end of a 90 % interval costs
Split = tuple[np.ndarray, np.ndarray]  # which models to learn from, and which to judge
ALL = "all"
PERIODS = {
    "before 2010": (-np.inf, 2010),
    "2010-2017": (2010, 2018),
    "2018 on": (2018, np.inf),
    "2022 on": (2022, np.inf),
}
FACTORS = (2, 3, 10)
WHOLE = ("whole",)
SUBSETS = (*WHOLE, "independent")
STRATA = ("tier", "domain", "period", "confidence")
SCORES = {
    "mean_half_width_90_dex": "half_width_90",
    "winkler_90_dex": "winkler",
    "winkler_90_alike_dex": "winkler_alike",
    "pinball_dex": "pinball",
}
ROUNDED = 4
Line = dict[str, object]


def by_folds(material: Material, say: Say = silent) -> list[pd.DataFrame]:
    """Each model judged by a calibration without its fold, and the line of the index without its owner; the same models
    with nothing known but date and kind; and with their size."""
    fold = material.about["fold"].to_numpy()
    splits = [(fold != number, fold == number) for number in range(FOLDS)]
    lines = capability_index.fit(material.rows, material.about["whole"].to_numpy(dtype="bool"))
    made = zip(*_judged(material, _counted("fold", splits, say), lines), strict=True)
    return [labelled(pd.concat(parts)) for parts in made]


def forward(material: Material, say: Say = silent) -> pd.DataFrame:
    """The models of two years each judged by a calibration from those published before."""
    year = material.about["year"].to_numpy()
    splits = [(year < first, (year >= first) & (year < first + ORIGINS.step)) for first in ORIGINS]
    return labelled(pd.concat([seen for seen, *_ in _judged(material, _counted("years", splits, say))]))


def _counted(what: str, splits: list[Split], say: Say) -> Iterator[Split]:
    for number, split in enumerate(splits, 1):
        say(f"{what} {number} of {len(splits)}")
        yield split


def _judged(
    material: Material, splits: Iterable[Split], lines: pd.DataFrame | None = None
) -> Iterator[list[pd.DataFrame]]:
    """For each split: the judged models as they are, masked, and with their size, with the half-width by errors of the
    same kind alone. `lines` are those of the index if they do not hang on the split."""
    shown = material, masked(material), masked(material, SIZE)
    for train, test in splits:
        calibrated = fit(material, train)
        if lines is not None:
            calibrated = calibrated._replace(capability_index=lines)
        known, _ = samples(material, calibrated.coefficients)
        use = known["model_id"].isin(material.about.index[train]) & known["error_dex"].notna()
        alike = conformal.make_intervals(known[use])
        made = [judge(rows, calibrated, test) for rows in shown]
        # those of the index are its own
        yield [part.assign(alike_dex=conformal.half_width(part, alike).fillna(part["high"])) for part in made]


def labelled(made: pd.DataFrame) -> pd.DataFrame:
    """The rows by themselves, and once more under the names of what would be taken."""
    made = made.assign(made_by=made["method"])
    parts = [made, made[made["tier"] == ESTIMATED].assign(method=ANY_PHYSICAL)]
    return pd.concat([*parts, made[made["tier"].notna()].assign(method=CASCADE)], ignore_index=True)


def scored(made: pd.DataFrame, target: pd.Series) -> pd.DataFrame:
    """The rows with a target (FLOP by model_id), with error_dex = log10(value ÷ target), whether the target lies inside
    the 50 and the 90 % interval, that one's half-width, and two scores in dex, the lower the better: `winkler`, the
    width of the 90 % interval and twenty times what lies beyond it (Winkler 1972, doi:10.1080/01621459.1972.10481224),
    with errors alike alone `winkler_alike`; and `pinball`, the mean loss of the five quantiles (Koenker & Bassett 1978,
    doi:10.2307/1913643)."""
    made = made.assign(published=made["model_id"].map(target)).dropna(subset="published")
    off = pd.Series(log10(made["published"] / made["value"]))
    low, lower, _, upper, high = (made[name] for name in ENDS)
    beyond = {share: off - made[name] for share, name in zip(SHARES, ENDS, strict=True)}
    return made.assign(
        error_dex=-off,
        inside_50=off.between(lower, upper),
        inside_90=off.between(low, high),
        half_width_90=(high - low) / 2,
        winkler=_winkler(off, low, high),
        winkler_alike=_winkler(off, -made["alike_dex"], made["alike_dex"]),
        pinball=sum(np.maximum(share * more, (share - 1) * more) for share, more in beyond.items()) / len(SHARES),
    )


def _winkler(off: pd.Series, low: pd.Series, high: pd.Series) -> pd.Series:
    return high - low + MISS * ((low - off).clip(lower=0) + (off - high).clip(lower=0))


def measure(
    judged: pd.DataFrame, evaluation: str, inputs: str, strata: Sequence[str] = STRATA, subsets: Sequence[str] = SUBSETS
) -> Iterator[Line]:
    """A row of `calibration` for each method and subset of the judged predictions (evaluate.scored), overall and by
    each of `strata`; `share`, if there is such a column, is how much a row counts."""
    for subset in (ALL, *subsets):
        rows = judged if subset == ALL else judged[judged[subset]]
        for method, group in rows.groupby("method", sort=True):
            about = {"evaluation": evaluation, "inputs": inputs, "method": method, "subset": subset}
            for key, part in parts(group, strata):
                yield about | dict.fromkeys(STRATA, ALL) | key | figures(part)


def parts(group: pd.DataFrame, strata: Sequence[str]) -> Iterator[tuple[Line, pd.DataFrame]]:
    """The whole group, and its parts that have rows by each of `strata`."""
    yield {}, group
    for name in strata:
        if name == "period":
            for label, (first, end) in PERIODS.items():
                if len(part := group[(group["year"] >= first) & (group["year"] < end)]):
                    yield {"period": label}, part
        else:
            for word, part in group.groupby(name, sort=True):
                yield {name: str(word)}, part


def figures(part: pd.DataFrame) -> dict[str, float]:
    """n, bias and spread of the errors, shares within factors, coverage, width and scores of the intervals. Of weighted
    rows n is their number, and the interval of the coverage that of as many as their weights are worth (Kish 1965,
    Survey Sampling, §11.7)."""
    weight = part["share"].to_numpy() if "share" in part else np.ones(len(part))
    error = part["error_dex"].to_numpy()
    median = _median(error, weight)
    made = {"n": len(part), "median_error_dex": median, "mad_dex": _median(np.abs(error - median), weight)}
    made |= {f"within_{factor}": _share(weight, np.abs(error) <= log10(np.float64(factor))) for factor in FACTORS}
    made |= {f"coverage_{level}": _share(weight, part[f"inside_{level}"].to_numpy(dtype="bool")) for level in LEVELS}
    worth = round(fsum(weight) ** 2 / fsum(weight**2))
    # the exact interval of Clopper and Pearson (1934, doi:10.1093/biomet/26.4.404)
    covered = binomtest(round(made["coverage_90"] * worth), worth).proportion_ci(0.95, method="exact")
    made |= {"coverage_90_low": float(covered.low), "coverage_90_high": float(covered.high)}
    made |= {"half_width_90_dex": _median(part["half_width_90"].to_numpy(), weight)}
    made |= {name: fsum(weight * part[column].to_numpy()) / fsum(weight) for name, column in SCORES.items()}
    return {
        name: value if name == "n" else round(round(value, DECIMALS), ROUNDED) + 0.0 for name, value in made.items()
    }


def _median(values: np.ndarray, weight: np.ndarray) -> float:
    """The weighted median: the middle of the two values on either side of half of the weight, if it lies between
    two."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weight[order])
    half = below[-1] / 2
    first, second = (int(np.searchsorted(below, half * (1 + sign * 1e-12))) for sign in (-1, 1))
    return float((values[order[first]] + values[order[second]]) / 2)


def _share(weights: np.ndarray, chosen: np.ndarray) -> float:
    """The share of the weights that is chosen, each sum exact: whole numbers where all weights are 1."""
    return fsum(weights[chosen]) / fsum(weights)
