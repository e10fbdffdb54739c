"""How many training runs take at least a given compute, by their values and over the distributions of all models.

Between two quantiles of a model (5, 25, 50, 75 and 95 %), and beyond the last, the logarithm of its compute is normal;
nothing lies below the least that it took or above the most that it could have had. Of the models of one run those that
are known best stand for it, from the day of its first model on, and among those that are out the likeliest: what is
trained further in a later year does not count in an earlier one.

What is wrong about one run is wrong about others: an error in standard deviations is √0.1 · what all share + √0.4 ·
what the runs of an organisation in a half-year share + √0.5 · its own. (Held against published values, errors
correlated by 0.30 to 0.43 within an organisation and half-year, and by 0.04 to 0.16 between organisations.) The
interval comes from 1,000 draws. Those of a run hang on its name alone, so that a number never falls with time and never
rises with the threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from traincompute.base.draws import named_normals
from traincompute.base.quantiles import QUANTILES, deviations, normal_cdf, normal_quantile

TIERS = range(5)
# what a number rests on: the tiers, and of tier 3 the index
BASES = ("published", "physical", "base", "size", "kind", "index")
INDEX = BASES.index("index")
FIRST_YEAR = 2017
SHARED, SHARED_BY_OWNER, OWN = 0.1, 0.4, 0.5  # shares of the variance of an error
DRAWS = 1000
TAILS = (0.05, 0.95)
TOGETHER = 256  # runs, whose draws are made at a time
NEVER = 5.0  # standard deviations: beyond, in no draw
OF_MODELS = ["publication_date", "is_notable", "organization", "training_compute_flop", "training_compute_source"]
BOUNDS = ["least_flop", "most_flop"]  # which a dataset of an earlier version may lack
COLUMNS = ["model_id", "training_run_id", *OF_MODELS, "tier", "method", *QUANTILES, *BOUNDS]


class Numbers(NamedTuple):
    """The numbers of runs at or above one threshold that were published until each of some days."""

    expected: np.ndarray  # days × BASES, sums of probabilities
    drawn: np.ndarray  # days × DRAWS

    def interval(self) -> np.ndarray:
        """days × 2: the ends of the 90 % interval."""
        ends: np.ndarray = np.quantile(self.drawn, TAILS, axis=1, method="inverted_cdf").T
        return ends


def report(
    models: pd.DataFrame, threshold: float, until: datetime | None = None, reach: datetime | None = None
) -> dict[str, Any]:
    """by_year (as `by_year` gives it) and models (probability of each), from the columns COLUMNS of models and
    predictions. Without `reach` the data reach to the last of these models."""
    reach = reach or models["publication_date"].max()
    days = [pd.Timestamp(day) for day in (reach, until) if day is not None and not pd.isna(day)]
    known = models.assign(probability=exceedance(models, threshold))
    likely = known[known["probability"] > 0.001].sort_values(["probability", "model_id"], ascending=[False, True])
    return {
        "threshold_flop": threshold,
        "data_reach_to": days[0].strftime("%Y-%m-%d") if days else None,
        "by_year": by_year(models, [threshold], year_ends(models, min(days, default=None))),
        "models": [
            {"model_id": name, "tier": int(tier), "probability": round(float(share), 6)}
            for name, tier, share in zip(likely["model_id"], likely["tier"], likely["probability"], strict=True)
        ],
    }


def year_ends(models: pd.DataFrame, last: pd.Timestamp | None = None) -> list[pd.Timestamp]:
    """The ends of the years from FIRST_YEAR to that of the last model, none after the day `last`."""
    newest = models["publication_date"].max()
    years = [] if pd.isna(newest) else range(FIRST_YEAR, newest.year + 1)
    return [min(pd.Timestamp(year, 12, 31), last or newest) for year in years]


def by_year(models: pd.DataFrame, thresholds: Sequence[float], ends: Sequence[pd.Timestamp]) -> list[dict[str, Any]]:
    """threshold_flop, published_until, runs, models and published_values by value, expected_runs, expected_tier_0 to
    _4, expected_index, low_90 and high_90 for each threshold and end, from the columns COLUMNS."""
    lines = []
    for threshold, found in zip(thresholds, numbers(models, thresholds, ends), strict=True):
        above = models[models["training_compute_flop"] >= threshold]
        counts = _by_value(above, ends)
        for end, counted, expected, (low, high) in zip(ends, counts, found.expected, found.interval(), strict=True):
            between = {"low_90": int(low), "high_90": int(high)}
            day = end.strftime("%Y-%m-%d")
            lines.append(
                {"threshold_flop": threshold, "published_until": day, **counted, **_parts(expected), **between}
            )
    return lines


def _parts(expected: np.ndarray) -> dict[str, float]:
    """The expected number, and what it rests on: the index is a part of tier 3."""
    by_tier = expected[: len(TIERS)].copy()
    by_tier[3] += expected[INDEX]
    parts = {"expected_runs": expected.sum()} | {f"expected_tier_{tier}": by_tier[tier] for tier in TIERS}
    return {name: round(float(part), 6) for name, part in (parts | {"expected_index": expected[INDEX]}).items()}


def parts_of(line: Mapping[str, Any]) -> dict[str, float]:
    """The expected number of a line of `by_year` by BASES, which tell the index from the other regressions of tier
    3."""
    parts = {name: line[f"expected_tier_{tier}"] for tier, name in zip(TIERS, BASES, strict=False)}
    index = line.get("expected_index", 0.0)  # which an early dataset may lack
    return parts | {"size": parts["size"] - index, "index": index}


def _by_value(above: pd.DataFrame, ends: Sequence[pd.Timestamp]) -> list[dict[str, int]]:
    """The numbers by value until each end: a run counts from its first model on."""
    run, day = above["training_run_id"], above["publication_date"]
    published = above["training_compute_source"] != "imputed"
    days = {
        "runs": day.groupby(run).min(),
        "models": day,
        "published_values": day[published].groupby(run[published]).min(),
    }
    until = np.array(ends, dtype="datetime64[s]")
    counts = {
        name: np.searchsorted(np.sort(some.dropna().to_numpy("datetime64[s]")), until, "right")
        for name, some in days.items()
    }
    return [dict(zip(counts, map(int, some), strict=True)) for some in zip(*counts.values(), strict=True)]


def numbers(models: pd.DataFrame, thresholds: Sequence[float], ends: Sequence[pd.Timestamp]) -> list[Numbers]:
    """The numbers of runs for each threshold, published until each of `ends`, which are in order."""
    known = standing(models)
    distance, before = _steps(known, thresholds)
    basis = basis_of(known)
    period = np.searchsorted(np.array(ends, dtype="datetime64[s]"), known["counted_from"].to_numpy("datetime64[s]"))
    shape = len(thresholds), len(ends)
    expected, drawn = np.zeros((*shape, len(BASES))), np.zeros((*shape, DRAWS))
    for day in range(len(ends)):
        rows = np.flatnonzero((distance < before).any(axis=1) & (period == day))
        for some in np.array_split(rows, len(rows) // TOGETHER + 1):
            error = errors(known.iloc[some])
            for place, (apart, held) in enumerate(zip(distance[some].T, before[some].T, strict=True)):
                np.add.at(expected[place, day], basis[some], normal_cdf(held) - normal_cdf(apart))
                drawn[place, day] += np.count_nonzero((error >= apart[:, None]) & (error < held[:, None]), axis=0)
    return [Numbers(*both) for both in zip(expected.cumsum(axis=1), drawn.cumsum(axis=1), strict=True)]


def standing(models: pd.DataFrame) -> pd.DataFrame:
    """Of each run the models of the tier that is known best, by training_run_id and in the order of days, with the day
    from which each counts (`counted_from`: of the first of them the day of the run's first model, else its own) and the
    publication_date and organization of the run's first model, which its errors hang on."""
    dated = models.dropna(subset="publication_date").sort_values(["publication_date", "model_id"])
    runs = dated.groupby("training_run_id")
    about = runs.agg(first=("publication_date", "first"), owner=("organization", "first"), best=("tier", "min"))
    found = dated.join(about, on="training_run_id")
    found = found[found["tier"] == found["best"]].set_index("training_run_id")
    day = found["publication_date"].where(found.index.duplicated(), found["first"])
    method = found.get("method", pd.Series(None, found.index, "object"))  # which an early dataset may lack
    return found.assign(counted_from=day, publication_date=found["first"], organization=found["owner"], method=method)


def basis_of(known: pd.DataFrame) -> np.ndarray:
    """The place among BASES of what each model's distribution rests on."""
    return np.where(known["method"].to_numpy() == "capability_index", INDEX, known["tier"].to_numpy())


def _steps(known: pd.DataFrame, thresholds: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Models × thresholds: the least `distance` of the models of a run until each of them, and until the one before."""
    apart = pd.DataFrame({threshold: distance(known, threshold) for threshold in thresholds})
    apart = apart.where(apart < NEVER, np.inf).groupby(known.index.to_numpy()).cummin()
    before = apart.groupby(known.index.to_numpy()).shift(fill_value=np.inf)
    return apart.to_numpy(), before.to_numpy()


def errors(runs: pd.DataFrame) -> np.ndarray:
    """Runs × DRAWS errors in standard deviations; `runs` has publication_date and organization by training_run_id."""
    days = runs["publication_date"].dt
    half = runs["organization"].fillna("").astype("str") + days.strftime(" %Y ") + (days.month > 6).astype("str")
    owner, owners = pd.factorize(half)
    own, theirs = named_normals(runs.index, DRAWS), named_normals(owners, DRAWS)[owner]
    return sqrt(SHARED) * _of_all() + sqrt(SHARED_BY_OWNER) * theirs + sqrt(OWN) * own


@cache
def _of_all() -> np.ndarray:
    """What all runs share, spread evenly: one number for each DRAWS-th of the distribution."""
    return normal_quantile((np.arange(DRAWS) + 0.5) / DRAWS)


def exceedance(models: pd.DataFrame, threshold: float) -> np.ndarray:
    """The probability that each model's compute is at least the threshold, by its QUANTILES and BOUNDS."""
    return 1 - normal_cdf(distance(models, threshold))


def distance(models: pd.DataFrame, threshold: float) -> np.ndarray:
    """How many standard deviations of its error a model has to lie above its median to reach the threshold, by its
    QUANTILES and BOUNDS."""
    dex = np.log10(models[QUANTILES].to_numpy(dtype="float64")) - np.log10(threshold)
    inside = deviations(dex, np.zeros(len(dex)))
    least, most = (models.get(name, pd.Series(np.nan, index=models.index)).to_numpy() for name in BOUNDS)
    beyond = (threshold > most) & (models[QUANTILES[-1]].to_numpy() <= most)
    found: np.ndarray = np.select([threshold <= least, beyond], [-np.inf, np.inf], inside)
    return found
