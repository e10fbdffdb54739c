"""The rows of the table `calibration`: how far off predictions are and how often intervals hold, overall and by stratum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from pipeline.base.digits import DECIMALS, log10, share, total
from pipeline.impute.flop.conformal import LEVELS

ALL = "all"
PERIODS = {"before 2010": (0, 2010), "2010-2017": (2010, 2018), "2018 on": (2018, 9999), "2022 on": (2022, 9999)}
FACTORS = (2, 3, 10)
SUBSETS = ("whole", "independent")
STRATA = ("tier", "domain", "period", "confidence")
SCORES = {"mean_half_width_90_dex": "half_width_90", "winkler_90_dex": "winkler", "winkler_90_alike_dex": "winkler_alike",
          "pinball_dex": "pinball"}  # fmt: skip
ROUNDED = 4
Line = dict[str, object]


def measure(
    judged: pd.DataFrame, evaluation: str, inputs: str, strata: Sequence[str] = STRATA, subsets: Sequence[str] = SUBSETS
) -> Iterator[Line]:
    """A row of `calibration` for each method and subset of the judged predictions (evaluate.scored), overall and by each
    of `strata`; `share`, if there is such a column, is how much a row counts."""
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
    made |= {f"within_{factor}": share(weight, np.abs(error) <= log10(np.float64(factor))) for factor in FACTORS}
    made |= {f"coverage_{level}": share(weight, part[f"inside_{level}"].to_numpy(dtype="bool")) for level in LEVELS}
    worth = round(total(weight) ** 2 / total(weight**2))
    # the exact interval of Clopper and Pearson (1934, doi:10.1093/biomet/26.4.404)
    covered = binomtest(round(made["coverage_90"] * worth), worth).proportion_ci(0.95, method="exact")
    made |= {"coverage_90_low": float(covered.low), "coverage_90_high": float(covered.high)}
    made |= {"half_width_90_dex": _median(part["half_width_90"].to_numpy(), weight)}
    made |= {name: total(weight * part[column].to_numpy()) / total(weight) for name, column in SCORES.items()}
    return {
        name: value if name == "n" else round(round(value, DECIMALS), ROUNDED) + 0.0 for name, value in made.items()
    }


def _median(values: np.ndarray, weight: np.ndarray) -> float:
    """The weighted median: the middle of the two values on either side of half of the weight, if it lies between two."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weight[order])
    half = below[-1] / 2
    first, second = (int(np.searchsorted(below, half * (1 + sign * 1e-12))) for sign in (-1, 1))
    return float((values[order[first]] + values[order[min(second, len(values) - 1)]]) / 2)
