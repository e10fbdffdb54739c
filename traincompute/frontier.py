"""The largest training run by date, over the distributions of all models, and the runs above thresholds by organisation.

A draw gives each run a compute, with the errors of `traincompute.thresholds`; the largest run of a draw is the largest
of these. Of many wide distributions the largest is biased upwards: beside it stand the largest value that is known, and the
most compute that anybody could have had on the day.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from traincompute.base.quantiles import QUANTILES, values
from traincompute.thresholds import BOUNDS, DRAWS, TOGETHER, by_year, errors

ENDS = (0.05, 0.50, 0.95)
THRESHOLDS_FLOP = (1e25, 1e26)
FEWEST = 0.5  # expected runs of the lowest threshold, from which on an organisation is listed


def largest(models: pd.DataFrame, ends: Sequence[pd.Timestamp]) -> list[dict[str, Any]]:
    """For each of `ends`, which are in order: published_until, the largest value until then (model_id, training_compute_flop),
    low_90, median and high_90 of the largest run, and most_flop, from the columns COLUMNS of `traincompute.thresholds`."""
    runs = _runs(models)
    drawn, lines = np.zeros(DRAWS), []
    for start, end in zip([pd.Timestamp.min, *ends], ends, strict=False):
        drawn = _largest_drawn(runs[(runs["publication_date"] > start) & (runs["publication_date"] <= end)], drawn)
        until = models[models["publication_date"] <= end]
        low, median, high = np.quantile(drawn, ENDS, method="inverted_cdf")
        lines.append({"published_until": end.strftime("%Y-%m-%d"), **_known(until), "low_90": _short(low),
                      "median": _short(median), "high_90": _short(high), "most_flop": _known_or_none(until["most_flop"].max())})  # fmt: skip
    return lines


def by_organization(models: pd.DataFrame, end: pd.Timestamp) -> list[dict[str, Any]]:
    """What `by_year` of `traincompute.thresholds` gives for each organisation that is named first and THRESHOLDS_FLOP, those with
    most runs first."""
    found = {
        str(name): by_year(theirs, THRESHOLDS_FLOP, [end])
        for name, theirs in models.groupby("organization")
        if theirs[QUANTILES[-1]].max() >= min(THRESHOLDS_FLOP)
    }
    lines = {name: rows for name, rows in found.items() if rows[0]["expected_runs"] >= FEWEST}
    order = sorted(lines, key=lambda name: (-lines[name][0]["expected_runs"], name))
    return [{"organization": name, **row} for name in order for row in lines[name]]


def _runs(models: pd.DataFrame) -> pd.DataFrame:
    """Of each run the model that is known best, among these the largest, with the date and organisation of the first."""
    dated = models.dropna(subset="publication_date").sort_values(["publication_date", "model_id"])
    first = dated.groupby("training_run_id")[["publication_date", "organization"]].first()
    best = dated.sort_values(["tier", "flop_50"], ascending=[True, False]).drop_duplicates("training_run_id")
    return best.set_index("training_run_id")[[*QUANTILES, *BOUNDS]].join(first).sort_index()


def _largest_drawn(runs: pd.DataFrame, before: np.ndarray) -> np.ndarray:
    """The largest compute of each draw, of these runs and those before."""
    likely = runs[runs[QUANTILES[-1]] >= max(runs[QUANTILES[0]].max(), before.min())]
    for rows in np.array_split(np.arange(len(likely)), len(likely) // TOGETHER + 1):
        some = likely.iloc[rows]
        flop = 10 ** values(np.log10(some[QUANTILES].to_numpy(dtype="float64")), errors(some))
        limits = some[BOUNDS[0]].fillna(0), some[BOUNDS[1]].clip(lower=some[QUANTILES[-1]]).fillna(np.inf)
        drawn = np.clip(flop, *(limit.to_numpy()[:, None] for limit in limits))
        before = np.maximum(before, drawn.max(axis=0, initial=0))
    return before


def _known(models: pd.DataFrame) -> dict[str, Any]:
    """The model with the largest value, and that."""
    valued = models.dropna(subset="training_compute_flop").sort_values(
        ["training_compute_flop", "publication_date"], ascending=[False, True]
    )
    if valued.empty:
        return {"model_id": None, "training_compute_flop": None}
    first = valued.iloc[0]
    return {"model_id": first["model_id"], "training_compute_flop": float(first["training_compute_flop"])}


def _short(flop: float) -> float:
    return float(f"{flop:.3g}")


def _known_or_none(flop: float) -> float | None:
    return None if pd.isna(flop) else float(flop)
