"""The largest training run by date, over the distributions of all models, and the runs above thresholds, in all and by
organisation.

A draw gives each run a compute, with the errors of `traincompute.thresholds`; the largest run of a draw is the largest
of these. Of many wide distributions the largest is biased upwards: beside it stand the largest value that is known, and
the upper limit: the largest run that was feasible by the day."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from traincompute.base.quantiles import QUANTILES, values
from traincompute.thresholds import BASES, BOUNDS, DRAWS, TOGETHER, basis_of, by_year, errors, standing

SHARES = {"low_90": 0.05, "median": 0.50, "high_90": 0.95}
THRESHOLDS_FLOP = (1e25, 1e26)
DAY, FLOP = "publication_date", "training_compute_flop"
FEWEST = 0.5  # expected runs of the lowest threshold, from which on an organisation is listed


def largest(models: pd.DataFrame, ends: Sequence[pd.Timestamp]) -> list[dict[str, Any]]:
    """For each of `ends`, which are in order: published_until, the largest value until then (model_id,
    training_compute_flop), low_90, median and high_90 of the largest run, what it rests on (shares of the draws), and
    most_flop."""
    known, valued = standing(models), models.dropna(subset=FLOP).sort_values([FLOP, DAY], ascending=[False, True])
    drawn, basis, lines = np.zeros(DRAWS), np.full(DRAWS, np.nan), []
    for start, end in zip([pd.Timestamp.min, *ends], ends, strict=False):
        new = known[(known["counted_from"] > start) & (known["counted_from"] <= end)]
        likely = new[new[QUANTILES[-1]] >= max(new[QUANTILES[0]].max(), drawn.min())]
        for first in range(0, len(likely), TOGETHER):
            some = likely.iloc[first : first + TOGETHER]
            for line, place in zip(draw(some, errors(some)), basis_of(some), strict=True):
                basis = np.where(line > drawn, place, basis)
                drawn = np.maximum(drawn, line)
        until = valued.loc[valued[DAY] <= end, ["model_id", FLOP]]
        model_id, flop = next(until.itertuples(index=False, name=None), (None, None))
        quantiles = np.quantile(drawn, list(SHARES.values()), method="inverted_cdf")
        most = models.loc[models[DAY] <= end, "most_flop"].max()
        lines.append(
            {
                "published_until": end.strftime("%Y-%m-%d"),
                "model_id": model_id,
                FLOP: flop,
                **{name: float(f"{at:.3g}") for name, at in zip(SHARES, quantiles, strict=True)},
                "most_flop": None if pd.isna(most) else float(most),
                "rests_on": {word: float((basis == place).mean()) for place, word in enumerate(BASES)},
            }
        )
    return lines


def by_organization(models: pd.DataFrame, last: Sequence[pd.Timestamp]) -> list[dict[str, Any]]:
    """`largest` and `runs` (by_year for THRESHOLDS_FLOP) until the last day (of which there is one or none) of each
    organisation that is named first, those with most expected runs first."""
    lines = []
    for name, theirs in models.groupby("organization") if len(last) else ():
        if theirs[QUANTILES[-1]].max() >= THRESHOLDS_FLOP[0]:
            runs = by_year(theirs, THRESHOLDS_FLOP, last)
            if runs[0]["expected_runs"] >= FEWEST:
                lines.append({"organization": str(name), "largest": largest(theirs, last), "runs": runs})
    return sorted(lines, key=lambda line: (-line["runs"][0]["expected_runs"], line["organization"]))


def draw(known: pd.DataFrame, error: np.ndarray) -> np.ndarray:
    """Models × draws: the compute that an error in standard deviations gives each, within what is possible."""
    flop = 10 ** values(np.log10(known[QUANTILES].to_numpy(dtype="float64")), error)
    limits = known[BOUNDS[0]], known[BOUNDS[1]].clip(lower=known[QUANTILES[-1]])
    least, most = (limit.to_numpy(dtype="float64") for limit in limits)
    drawn: np.ndarray = np.fmin(np.fmax(flop, least[:, None]), most[:, None])  # which pass over what is not known
    return drawn
