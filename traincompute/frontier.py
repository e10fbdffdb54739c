"""The largest training run by date, over the distributions of all models, and the runs above thresholds, in all and by
organisation.

A draw gives each run a compute, with the errors of `traincompute.thresholds`; the largest run of a draw is the largest
of these. Of many wide distributions the largest is biased upwards: beside it stand the largest value that is known, and
the most compute that anybody could have had on the day."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from traincompute.base.quantiles import QUANTILES, values
from traincompute.thresholds import BASES, BOUNDS, DRAWS, TOGETHER, basis_of, by_year, errors, standing

ENDS = (0.05, 0.50, 0.95)
THRESHOLDS_FLOP = (1e25, 1e26)
FEWEST = 0.5  # expected runs of the lowest threshold, from which on an organisation is listed


def frontier(models: pd.DataFrame, ends: Sequence[pd.Timestamp]) -> dict[str, list[dict[str, Any]]]:
    """`largest` and `runs` (as `by_year` of `traincompute.thresholds` gives them for THRESHOLDS_FLOP) for each of
    `ends`, which are in order, and both `by_organization` for the last, from the columns COLUMNS of
    `traincompute.thresholds`."""
    counted = by_year(models, THRESHOLDS_FLOP, ends)
    return {"largest": largest(models, ends), "runs": counted, "by_organization": by_organization(models, ends[-1:])}


def largest(models: pd.DataFrame, ends: Sequence[pd.Timestamp]) -> list[dict[str, Any]]:
    """For each of `ends`: published_until, the largest value until then (model_id, training_compute_flop), low_90,
    median and high_90 of the largest run, what it rests on (shares of the draws), and most_flop."""
    known = standing(models)
    drawn, basis, lines = np.zeros(DRAWS), np.full(DRAWS, np.nan), []
    for start, end in zip([pd.Timestamp.min, *ends], ends, strict=False):
        new = known[(known["counted_from"] > start) & (known["counted_from"] <= end)]
        drawn, basis = _largest_drawn(new, drawn, basis)
        until = models[models["publication_date"] <= end]
        low, median, high = map(_short, np.quantile(drawn, ENDS, method="inverted_cdf"))
        shares = {word: float((basis == place).mean()) for place, word in enumerate(BASES)}
        lines.append(
            {
                "published_until": end.strftime("%Y-%m-%d"),
                **_known(until),
                "low_90": low,
                "median": median,
                "high_90": high,
                "most_flop": _known_or_none(until["most_flop"].max()),
                "rests_on": shares,
            }
        )
    return lines


def by_organization(models: pd.DataFrame, last: Sequence[pd.Timestamp]) -> list[dict[str, Any]]:
    """`largest` and `runs` until the last day (of which there is one or none) of each organisation that is named first,
    those with most expected runs first."""
    able = models.groupby("organization")[QUANTILES[-1]].max() >= min(THRESHOLDS_FLOP) if len(last) else pd.Series()
    lines = []
    for name in able.index[able.to_numpy(dtype="bool")]:
        theirs = models[models["organization"] == name]
        runs = by_year(theirs, THRESHOLDS_FLOP, last)
        if runs[0]["expected_runs"] >= FEWEST:
            lines.append({"organization": str(name), "largest": largest(theirs, last), "runs": runs})
    return sorted(lines, key=lambda line: (-line["runs"][0]["expected_runs"], line["organization"]))


def _largest_drawn(known: pd.DataFrame, before: np.ndarray, basis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The largest compute of each draw, of these models and what was before, and what it rests on."""
    likely = known[known[QUANTILES[-1]] >= max(known[QUANTILES[0]].max(), before.min())]
    for start in range(0, len(likely), TOGETHER):
        some = likely.iloc[start : start + TOGETHER]
        drawn = draw(some, errors(some))
        for line, place in zip(drawn, basis_of(some), strict=True):
            basis = np.where(line > before, place, basis)
            before = np.maximum(before, line)
    return before, basis


def draw(known: pd.DataFrame, error: np.ndarray) -> np.ndarray:
    """Models × draws: the compute that an error in standard deviations gives each, within what is possible."""
    flop = 10 ** values(np.log10(known[QUANTILES].to_numpy(dtype="float64")), error)
    limits = known[BOUNDS[0]], known[BOUNDS[1]].clip(lower=known[QUANTILES[-1]])
    least, most = (limit.to_numpy(dtype="float64") for limit in limits)
    drawn: np.ndarray = np.fmin(np.fmax(flop, least[:, None]), most[:, None])  # which pass over what is not known
    return drawn


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
