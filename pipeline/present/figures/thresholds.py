"""How many training runs are above a threshold by date, with a band for the uncertainty of their values."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pipeline.impute.trends import draws, fit, series
from pipeline.present.figures import parts, style
from pipeline.present.figures.data import Data

LEVELS = {23: style.SKY, 24: style.GREEN, 25: style.BLUE, 26: style.RED}
FIRST, LAST = 2019.0, 2027.0


def draw(data: Data) -> dict[str, Any]:
    """The figure as a Vega-Lite specification."""
    named = series.make_points(data.prepared, "training_compute_flop")
    points = named[series.runs(named, np.ones(len(named), dtype=bool))].reset_index(drop=True)
    moved = draws.normals(fit.SEED, fit.DRAWS, len(points)) * points["sd_dex"].to_numpy() + points["log10"].to_numpy()
    x = style.year_axis(FIRST, LAST, 1)
    counts = {level: count(points, moved, level) for level in LEVELS}
    layers = [layer for level, colour in LEVELS.items() for layer in _layers(counts[level], x, colour)]
    key = [(f"1e{level} FLOP: {_last(frame)}", LEVELS[level]) for level, frame in counts.items()]
    subtitle = [
        "Training runs at or above a compute, of all models of the dataset with a published value.",
        "Bands: 90 % of 1,000 draws of every value from its own interval. They lie above the lines, because",
        "more runs are just below a threshold than just above it.",
    ]
    return style.finish(parts.keyed(layers, key[::-1]), "Training runs above thresholds", subtitle, data.caption())


def count(points: pd.DataFrame, moved: np.ndarray, level: float) -> pd.DataFrame:
    """The number of runs at or above 10^level so far, by date (year): value, and 5 % and 95 % points of the draws."""
    order = np.argsort(points["year"].to_numpy(), kind="stable")
    year = points["year"].to_numpy()[order]
    # exactly 1e25 must not fall below the level because of the last bit of its logarithm
    value = np.cumsum(points["log10"].to_numpy()[order] >= level - 1e-9)
    low, high = np.quantile(np.cumsum(moved[:, order] >= level - 1e-9, axis=1), fit.TAILS, axis=0)
    frame = pd.DataFrame({"year": year, "value": value, "low": low, "high": high}).drop_duplicates("year", keep="last")
    changed = frame[["value", "low", "high"]].diff().fillna(1).any(axis=1) | (frame["year"] == frame["year"].max())
    shown: pd.DataFrame = frame[changed & (frame["year"] >= FIRST)].round(3)
    return shown


def _layers(frame: pd.DataFrame, x: Any, colour: str) -> list[Any]:
    scale = alt.Scale(type="symlog", constant=1, domain=[0, 2000], nice=False)
    ticks = alt.Axis(values=[0, 1, 3, 10, 30, 100, 300, 1000])
    y = alt.Y("value:Q", title="Runs so far", scale=scale, axis=ticks)
    low = alt.Y("low:Q", title="Runs so far", scale=scale, axis=ticks)
    base = alt.Chart(frame)
    return [
        base.mark_area(color=colour, opacity=0.22, interpolate="step-after").encode(x, low, alt.Y2("high:Q")),
        base.mark_line(color=colour, strokeWidth=2, interpolate="step-after").encode(x, y),
    ]


def _last(frame: pd.DataFrame) -> str:
    row = frame.iloc[-1]
    return f"{row['value']:.0f} as published, {row['low']:.0f}–{row['high']:.0f} drawn"
