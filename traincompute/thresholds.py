"""How many training runs used at least a given compute: by their values, and expected over the distributions of all
models.

Between two quantiles of a model (5, 25, 50, 75 and 95 %), and beyond the last, the logarithm of its compute is normal;
nothing lies below its lower bound or above its upper bound. The models of a run that are known best stand for it, from
the day of its first model on, and among those that are out the likeliest: what is trained further in a later year does
not count in an earlier one.

Errors correlate: in standard deviations an error is √0.1 · a part of all runs + √0.4 · a part of the runs of one
organisation in a half-year + √0.5 · its own. (Measured against published values, errors correlated by 0.30 to 0.43
within an organisation and half-year, and by 0.04 to 0.16 between organisations.) The interval comes from 1,000 draws.
Each run's random seed is its name, so that a number never falls with time and never rises with the threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd

from traincompute.base.draws import named_normals
from traincompute.base.quantiles import QUANTILES, deviations, normal_cdf, normal_quantile

# what a number rests on: the evidence levels (tiers), and of tier 3 the capability index
BASES = ("published", "physical", "base", "size", "kind", "index")
INDEX, SIZE = BASES.index("index"), BASES.index("size")
FIRST_YEAR = 2017
SHARED, SHARED_BY_OWNER, OWN = 0.1, 0.4, 0.5  # shares of the variance of an error
DRAWS = 1000
TAILS = (0.05, 0.95)
TOGETHER = 256  # runs, whose draws are made at a time
NEVER = 5.0  # standard deviations: beyond, in no draw
OF_MODELS = ["publication_date", "is_notable", "organization", "training_compute_flop", "training_compute_source"]
BOUNDS = ["least_flop", "most_flop"]
COLUMNS = ["model_id", "training_run_id", *OF_MODELS, "tier", "method", *QUANTILES, *BOUNDS]


def year_ends(models: pd.DataFrame, last: pd.Timestamp | None = None) -> list[pd.Timestamp]:
    """The last days of the years from FIRST_YEAR on to that of the newest model, none after the day `last`."""
    newest = models["publication_date"].max()
    years = [] if pd.isna(newest) else range(FIRST_YEAR, newest.year + 1)
    return list(dict.fromkeys(min(pd.Timestamp(year, 12, 31), last or newest) for year in years))


def by_year(models: pd.DataFrame, thresholds: Sequence[float], ends: Sequence[pd.Timestamp]) -> list[dict[str, Any]]:
    """threshold_flop, published_until, runs, models and published_values by value, expected_runs, expected_tier_0 to
    _4, expected_index (part of tier 3), low_90 and high_90 for each threshold and end, from the columns COLUMNS."""
    lines = []
    expected, drawn = _count_runs(models, thresholds, ends)
    for place, threshold in enumerate(thresholds):
        counts = _by_value(models[models["training_compute_flop"] >= threshold], ends)
        for number, end in enumerate(ends):
            by_tier, index = expected[place, number, :INDEX].copy(), expected[place, number, INDEX]
            by_tier[SIZE] += index
            parts = {"expected_runs": expected[place, number].sum()}
            parts |= {f"expected_tier_{tier}": part for tier, part in enumerate(by_tier)} | {"expected_index": index}
            bounds = np.quantile(drawn[place, number], TAILS, method="inverted_cdf")
            lines.append(
                {
                    "threshold_flop": threshold,
                    "published_until": end.strftime("%Y-%m-%d"),
                    **{name: int(count[number]) for name, count in counts.items()},
                    **{name: round(float(part), 6) for name, part in parts.items()},
                    **{name: int(bound) for name, bound in zip(("low_90", "high_90"), bounds, strict=True)},
                }
            )
    return lines


def parts_of(line: Mapping[str, Any]) -> dict[str, float]:
    """The expected number of a line of `by_year` by BASES, which separate the index from the rest of tier 3."""
    parts = {name: line[f"expected_tier_{tier}"] for tier, name in enumerate(BASES[:INDEX])}
    return parts | {"size": parts["size"] - line["expected_index"], "index": line["expected_index"]}


def _by_value(above: pd.DataFrame, ends: Sequence[pd.Timestamp]) -> dict[str, np.ndarray]:
    """The numbers by value until each end: a run counts from its first model on."""
    published = above[above["training_compute_source"] != "imputed"]
    days = {
        "runs": above.groupby("training_run_id")["publication_date"].min(),
        "models": above["publication_date"],
        "published_values": published.groupby("training_run_id")["publication_date"].min(),
    }
    until = np.array(ends, dtype="datetime64[s]")
    return {
        name: np.searchsorted(np.sort(some.dropna().to_numpy("datetime64[s]")), until, "right")
        for name, some in days.items()
    }


def _count_runs(
    models: pd.DataFrame, thresholds: Sequence[float], ends: Sequence[pd.Timestamp]
) -> tuple[np.ndarray, np.ndarray]:
    """Runs at or above each threshold that were published until each end, which are in order: the sums of
    probabilities (thresholds × ends × BASES), and the numbers drawn (thresholds × ends × DRAWS)."""
    known = standing(models)
    # the least distance of the models of a run until each of them, and until the one before
    apart = pd.DataFrame({threshold: distance(known, threshold) for threshold in thresholds})
    apart = apart.where(apart < NEVER, np.inf).groupby(known.index.to_numpy()).cummin()
    before = apart.groupby(known.index.to_numpy()).shift(fill_value=np.inf).to_numpy()
    nearest, basis = apart.to_numpy(), basis_of(known)
    period = np.searchsorted(np.array(ends, dtype="datetime64[s]"), known["counted_from"].to_numpy("datetime64[s]"))
    shape = len(thresholds), len(ends)
    expected, drawn = np.zeros((*shape, len(BASES))), np.zeros((*shape, DRAWS))
    for end in range(len(ends)):
        rows = np.flatnonzero((nearest < before).any(axis=1) & (period == end))
        for some in np.array_split(rows, len(rows) // TOGETHER + 1):
            error = errors(known.iloc[some])
            for place, (low, high) in enumerate(zip(nearest[some].T, before[some].T, strict=True)):
                np.add.at(expected[place, end], basis[some], normal_cdf(high) - normal_cdf(low))
                drawn[place, end] += np.count_nonzero((error >= low[:, None]) & (error < high[:, None]), axis=0)
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
    method = found.get("method", pd.Series(None, found.index, "object"))
    return found.assign(counted_from=day, publication_date=found["first"], organization=found["owner"], method=method)


def basis_of(known: pd.DataFrame) -> np.ndarray:
    """The place among BASES of what each model's distribution rests on."""
    return np.where(known["method"].to_numpy() == "capability_index", INDEX, known["tier"].to_numpy())


def errors(runs: pd.DataFrame) -> np.ndarray:
    """Runs × DRAWS errors in standard deviations; `runs` has publication_date and organization by training_run_id."""
    days = runs["publication_date"].dt
    half = runs["organization"].fillna("").astype("str") + days.strftime(" %Y ") + (days.month > 6).astype("str")
    owner, owners = pd.factorize(half)
    own, theirs = named_normals(runs.index, DRAWS), named_normals(owners, DRAWS)[owner]
    # what all runs share, spread evenly: one number for each DRAWS-th of the distribution
    of_all = normal_quantile((np.arange(DRAWS) + 0.5) / DRAWS)
    return sqrt(SHARED) * of_all + sqrt(SHARED_BY_OWNER) * theirs + sqrt(OWN) * own


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
