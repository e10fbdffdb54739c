"""The two plots of The Shape of Code 2022: FLOP and parameters over time, with a line for each economic era."""

from __future__ import annotations

from functools import partial
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pipeline.impute.trends import fit, series
from pipeline.present.docs.shape_of_code import NAMES, VINTAGE
from pipeline.present.figures import parts, style
from pipeline.present.figures.data import Data

FIRST, LAST = 1950.0, 2023.0
COLOURS = {"do_it_yourself": style.GREEN, "cloud": style.BLUE, "bespoke": style.RED}
DAYS = 30


def draw(data: Data, quantity: str, title: str, axis: str, low: int, high: int) -> dict[str, Any]:
    """One of the two plots as a Vega-Lite specification."""
    points = series.make_points(data.sheet_2022[0], quantity)
    points = points.assign(value=points["log10"])
    x, y = style.year_axis(FIRST, LAST, 10), style.power_axis("value", axis, low, high, 2)
    layers, key = [], []
    for era, colour in COLOURS.items():
        rows = (points["era_economic"] == era).to_numpy()
        layers += [parts.points_layer(points[rows], x, y, colour), parts.band_layer(points, rows, x, y, colour)]
        key.append((f"{NAMES[era]}: {int(rows.sum())} models, {_rate(points, rows)}", colour))
    if quantity == "training_compute_flop":
        layers.append(_machine(data.sheet_2022[1], x, y))
        key.append((f"first machine of the Top500, {DAYS} days at Rmax", style.ORANGE))
    subtitle = ["Models with training compute, date and parameters; eras as in docs/reproductions.md."]
    caption = f"Sheet of {VINTAGE}, Epoch AI (CC BY 4.0), after The Shape of Code 2022; "
    return style.finish(parts.keyed(layers, key), title, subtitle, caption + data.edition)


def _rate(points: pd.DataFrame, rows: Any) -> str:
    year, log10 = points["year"].to_numpy(), points["log10"].to_numpy()
    lines = fit.fit_lines(year, log10, np.zeros(len(year)), [np.flatnonzero(rows)])
    low, high = 10 ** fit.interval(lines.sampled)[:, 0]
    return f"{10 ** lines.slope[0]:.1f}× a year [{low:.1f}–{high:.1f}]"


def _machine(lists: pd.DataFrame, x: Any, y: Any) -> Any:
    data = parts.machine_line(lists, DAYS * 86400.0, VINTAGE.isoformat()).round(3)
    return alt.Chart(data).mark_line(color=style.ORANGE, strokeWidth=2, interpolate="step-after").encode(x, y)


FLOP = partial(
    draw, quantity="training_compute_flop", title="Training compute in three economic eras",
    axis="Training compute (FLOP)", low=0, high=30,
)  # fmt: skip
PARAMETERS = partial(
    draw, quantity="parameters", title="Size of models in three economic eras", axis="Parameters", low=0, high=16
)
