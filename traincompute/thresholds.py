"""How many training runs used at least a given compute: by their values, and expected over the distributions of all
models within their bounds.

The models of a run that are known best stand for it, from the day of its first model on, and among those that are out
the likeliest: further training in a later year does not count in an earlier one.

In standard deviations an error is √0.1 · a part of all runs + √0.4 · one of the runs of an organisation in a half-year
+ √0.5 · its own. Against published values they correlate by 0.30 to 0.43 within an organisation and half-year, 0.04 to
0.16 between organisations. A run's seed is its name: no number falls with time or rises with the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd

from traincompute.base.distributions import QUANTILES, deviations, named_normals, normal_cdf, normal_quantile

TIERS, SIZE = 5, 3  # evidence levels, and the one that the capability index belongs to, which is counted apart, too
FIRST_YEAR = 2017
SHARED, SHARED_BY_OWNER, OWN = 0.1, 0.4, 0.5  # shares of the variance of an error
DRAWS, TAILS = 1000, (0.05, 0.95)
NEVER = 5.0  # standard deviations: beyond, in no draw
BOUNDS = ["least_flop", "most_flop"]
COLUMNS = ["model_id", "training_run_id", "publication_date", "is_notable", "organization", "training_compute_flop",
           "training_compute_source", "tier", "method", *QUANTILES, *BOUNDS]  # fmt: skip


def year_ends(dates: pd.Series, last: pd.Timestamp | None = None) -> list[pd.Timestamp]:
    """The last days of the years from FIRST_YEAR on to that of the newest model, none after the day `last`."""
    newest = dates.max()
    years = [] if pd.isna(newest) else range(FIRST_YEAR, newest.year + 1)
    return list(dict.fromkeys(min(pd.Timestamp(year, 12, 31), last or newest) for year in years))


def by_year(models: pd.DataFrame, thresholds: Sequence[float], ends: Sequence[pd.Timestamp]) -> list[dict[str, Any]]:
    """threshold_flop, published_until, runs, models and published_values by value, expected_runs, expected_tier_0 to
    _4, expected_index (part of tier 3), low_90 and high_90 for each threshold and end, from the columns COLUMNS."""
    lines = []
    expected, drawn = _count_runs(models, thresholds, ends)
    for (place, threshold), (number, end) in product(enumerate(thresholds), enumerate(ends)):
        until = models[(models["training_compute_flop"] >= threshold) & (models["publication_date"] <= end)]
        published = until[until["training_compute_source"] != "imputed"]
        *tiers, index = parts = expected[place, number]
        tiers[SIZE] += index
        low, high = np.quantile(drawn[place, number], TAILS, method="inverted_cdf")
        line = {
            "threshold_flop": threshold,
            "published_until": end.strftime("%Y-%m-%d"),
            "runs": until["training_run_id"].nunique(),
            "models": len(until),
            "published_values": published["training_run_id"].nunique(),
            "expected_runs": round(float(parts.sum()), 6),
            **{f"expected_tier_{tier}": round(float(part), 6) for tier, part in enumerate(tiers)},
            "expected_index": round(float(index), 6),
        }
        lines.append(line | {"low_90": int(low), "high_90": int(high)})
    return lines


def _count_runs(
    models: pd.DataFrame, thresholds: Sequence[float], ends: Sequence[pd.Timestamp]
) -> tuple[np.ndarray, np.ndarray]:
    """Runs at or above each threshold that were published until each end, which are in order: the sums of
    probabilities (thresholds × ends × tiers and the index), and the numbers drawn (thresholds × ends × DRAWS)."""
    known = standing(models)
    basis = np.where(known.get("method") == "capability_index", TIERS, known["tier"])
    # the least distance of the models of a run until each of them, and until the one before
    apart = pd.DataFrame({threshold: distance(known, threshold) for threshold in thresholds})
    apart = apart.where(apart < NEVER, np.inf).groupby(known.index.to_numpy()).cummin()
    nearest, before = apart.to_numpy(), apart.groupby(known.index.to_numpy()).shift(fill_value=np.inf).to_numpy()
    period = np.searchsorted(np.array(ends, dtype="datetime64[s]"), known["counted_from"].to_numpy("datetime64[s]"))
    expected, drawn = (np.zeros((len(thresholds), len(ends), size)) for size in (TIERS + 1, DRAWS))
    for end in range(len(ends)):
        rows = np.flatnonzero((nearest < before).any(axis=1) & (period == end))
        error = errors(known.iloc[rows])
        for place, (low, high) in enumerate(zip(nearest[rows].T, before[rows].T, strict=True)):
            np.add.at(expected[place, end], basis[rows], normal_cdf(high) - normal_cdf(low))
            drawn[place, end] = np.count_nonzero((error >= low[:, None]) & (error < high[:, None]), axis=0)
    return expected.cumsum(axis=1), drawn.cumsum(axis=1)


def standing(models: pd.DataFrame) -> pd.DataFrame:
    """Of each run the models of the tier that is known best, by training_run_id and in the order of days, with the day
    from which each counts (`counted_from`: of the first of them the day of the run's first model, else its own) and the
    publication_date and organization of the run's first model, which its errors depend on."""
    dated = models.dropna(subset="publication_date").sort_values(["publication_date", "model_id"])
    runs = dated.groupby("training_run_id")
    about = runs.agg(first=("publication_date", "first"), owner=("organization", "first"), best=("tier", "min"))
    found = dated.join(about, on="training_run_id")
    found = found[found["tier"] == found["best"]].set_index("training_run_id")
    day = found["publication_date"].where(found.index.duplicated(), found["first"])
    return found.assign(counted_from=day, publication_date=found["first"], organization=found["owner"])


def errors(runs: pd.DataFrame) -> np.ndarray:
    """Runs × DRAWS errors in standard deviations; `runs` has publication_date and organization by training_run_id."""
    days = runs["publication_date"].dt
    half = runs["organization"].fillna("").astype("str") + days.strftime(" %Y ") + (days.month > 6).astype("str")
    owner, owners = pd.factorize(half)
    own, theirs = named_normals(runs.index, DRAWS), named_normals(owners, DRAWS)[owner]
    # what all runs share, spread evenly: one number for each DRAWS-th of the distribution
    of_all = normal_quantile((np.arange(DRAWS) + 0.5) / DRAWS)
    return sqrt(SHARED) * of_all + sqrt(SHARED_BY_OWNER) * theirs + sqrt(OWN) * own


def distance(models: pd.DataFrame, threshold: float) -> np.ndarray:
    """How many standard deviations of its error a model has to lie above its median to reach the threshold."""
    dex = np.log10(models[QUANTILES].to_numpy(dtype="float64")) - np.log10(threshold)
    least, most = (models.get(name, pd.Series(np.nan, index=models.index)).to_numpy() for name in BOUNDS)
    beyond = (threshold > most) & (models[QUANTILES[-1]].to_numpy() <= most)
    found: np.ndarray = np.select([threshold <= least, beyond], [-np.inf, np.inf], deviations(dex, np.zeros(len(dex))))
    return found
