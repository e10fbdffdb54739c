"""`traincompute thresholds`: how many training runs take at least a given compute, by their values and over the
distributions of all models.

Between two quantiles of a model (5, 25, 50, 75 and 95 %), and beyond the last, the logarithm of its compute is normal;
nothing lies below the least that it took or above the most that it could have had. Of the models of one run the one that
is known best stands for it, and among these the likeliest; runs are independent of each other, so that their number has
a Poisson-binomial distribution, computed exactly.
"""

from __future__ import annotations

from datetime import datetime
from math import erf, sqrt
from typing import Any

import numpy as np
import pandas as pd

Z = np.array([-1.6448536269514722, -0.6744897501960817, 0.0, 0.6744897501960817, 1.6448536269514722])
QUANTILES = ["flop_05", "flop_25", "flop_50", "flop_75", "flop_95"]
TIERS = range(5)
FIRST_YEAR = 2017
NEVER = 1e-6  # a chance within this of 0 or 1 counts as that
OF_MODELS = ["publication_date", "is_notable", "training_compute_flop", "training_compute_source"]
BOUNDS = ["least_flop", "most_flop"]  # which a dataset of an earlier version may lack
COLUMNS = ["model_id", "training_run_id", *OF_MODELS, "tier", *QUANTILES, *BOUNDS]


def report(
    models: pd.DataFrame, threshold: float, until: datetime | None = None, reach: datetime | None = None
) -> dict[str, Any]:
    """by_year (numbers published until its end, from FIRST_YEAR on, the last until the day that the data `reach`, or
    `until`) and models (probability of each), from the columns COLUMNS of models and predictions. Without `reach` the data
    reach to the last of these models."""
    known = models.sort_values("model_id")
    known = known.assign(probability=exceedance(known, threshold))
    last = known["publication_date"].max()
    days = [pd.Timestamp(day) for day in (reach or last, until) if day is not None and not pd.isna(day)]
    years = [] if pd.isna(last) else range(FIRST_YEAR, last.year + 1)
    ends = [min([pd.Timestamp(year, 12, 31), *days]) for year in years]
    likely = known[known["probability"] > 0.001].sort_values(["probability", "model_id"], ascending=[False, True])
    return {
        "threshold_flop": threshold,
        "data_reach_to": days[0].strftime("%Y-%m-%d") if days else None,
        "by_year": [_line(known[known["publication_date"] <= end], end, threshold) for end in ends],
        "models": [
            {"model_id": name, "tier": int(tier), "probability": round(float(share), 6)}
            for name, tier, share in zip(likely["model_id"], likely["tier"], likely["probability"], strict=True)
        ],
    }


def _line(known: pd.DataFrame, end: pd.Timestamp, threshold: float) -> dict[str, Any]:
    runs = known.sort_values(["tier", "probability"], ascending=[True, False]).drop_duplicates("training_run_id")
    chances = runs["probability"].to_numpy()
    low, high = band(chances)
    above = known[known["training_compute_flop"] >= threshold]
    parts = runs.groupby("tier")["probability"].sum()
    return {
        "published_until": end.strftime("%Y-%m-%d"),
        "runs": above["training_run_id"].nunique(),
        "models": len(above),
        "published_values": above.loc[above["training_compute_source"] != "imputed", "training_run_id"].nunique(),
        "expected_runs": round(float(chances.sum()), 6),
        **{f"expected_tier_{tier}": round(float(parts.get(tier, 0.0)), 6) for tier in TIERS},
        "low_90": low,
        "high_90": high,
    }


def exceedance(models: pd.DataFrame, threshold: float) -> np.ndarray:
    """The probability that each model's compute is at least the threshold, by its QUANTILES and BOUNDS; where the outer two
    quantiles on a side are equal, nothing lies beyond them."""
    dex = np.log10(models[QUANTILES].to_numpy(dtype="float64")) - np.log10(threshold)
    part = np.clip((dex < 0).sum(axis=1) - 1, 0, len(Z) - 2)  # the two quantiles to go by
    row = np.arange(len(dex))
    first, second = dex[row, part], dex[row, part + 1]
    width = second - first
    z = Z[part] + (Z[part + 1] - Z[part]) * -first / np.where(width > 0, width, 1)
    normal = np.array([0.5 * (1 - erf(value / sqrt(2))) for value in z])
    inside = np.where(width > 0, normal, np.where(second < 0, 0.0, 1.0))
    least, most = (models.get(name, pd.Series(np.nan, index=models.index)).to_numpy() for name in BOUNDS)
    beyond = (threshold > most) & (models[QUANTILES[-1]].to_numpy() <= most)
    found: np.ndarray = np.select([threshold <= least, beyond], [1.0, 0.0], inside)
    return found


def band(chances: np.ndarray) -> tuple[int, int]:
    """The 5 % and 95 % quantiles of the number of events with these probabilities."""
    certain = int((chances > 1 - NEVER).sum())
    cumulated = np.cumsum(poisson_binomial(chances[(chances >= NEVER) & (chances <= 1 - NEVER)]))
    return certain + int(np.searchsorted(cumulated, 0.05)), certain + int(np.searchsorted(cumulated, 0.95))


def poisson_binomial(chances: np.ndarray) -> np.ndarray:
    """The distribution of the number of independent events with these probabilities, added one at a time."""
    made = np.ones(1)
    for chance in chances:
        made = np.append(made * (1 - chance), 0) + np.append(0, made * chance)
    return made
