"""Layers that several figures share: dated points with intervals, straight lines with bands, thresholds, names."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pipeline.impute.trends import fit, series
from pipeline.impute.trends.prepare import interval_of
from pipeline.present.figures import style

HALO = {"stroke": "white", "strokeWidth": 3, "strokeOpacity": 0.85}
KEY_STEP = 17  # pixels from a line of a key to the next


def points_layer(points: pd.DataFrame, x: Any, y: Any, colour: str, size: int = 26, opacity: float = 0.75) -> Any:
    """Dots at year and value (log10), rounded so that the file stays small."""
    data = points[["year", "value"]].round({"year": 3, "value": 3})
    return alt.Chart(data).mark_circle(size=size, color=colour, opacity=opacity, aria=False).encode(x, y)


def interval_layer(points: pd.DataFrame, x: Any, y: Any, colour: str) -> Any:
    """Thin rules from `low` to `high` (log10)."""
    data = points[["year", "low", "high"]].round(3)
    return alt.Chart(data).mark_rule(color=colour, opacity=0.18, clip=True, aria=False).encode(x, y, alt.Y2("high:Q"))


def band_layer(points: pd.DataFrame, rows: np.ndarray, x: Any, y: Any, colour: str) -> Any:
    """The straight line fitted to some points with its 90 % band, from the first of them to the last."""
    year, log10, sd = (points[name].to_numpy("float64") for name in ("year", "log10", "sd_dex"))
    lines = fit.fit_lines(year, log10, sd, [np.flatnonzero(rows)])
    grid = np.linspace(year[rows].min(), year[rows].max(), 25)
    low, high = fit.interval(lines.levels + lines.slopes * (grid - fit.EPOCH))
    middle = lines.level[0] + lines.slope[0] * (grid - fit.EPOCH)
    data = pd.DataFrame({"year": grid, "value": middle, "low": low, "high": high}).round(3)
    base = alt.Chart(data)
    band = base.mark_area(color=colour, opacity=0.18, clip=True).encode(x, alt.Y("low:Q"), alt.Y2("high:Q"))
    line = base.mark_line(color=colour, strokeWidth=2, clip=True).encode(x, y)
    return style.layered(band, line)


def own_interval(points: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """The points with `value`, `low` and `high`: log10 and its own 90 % interval, else that of its confidence word."""
    half = series.Z90 * points["sd_dex"]
    ends = {"low": points["log10"] - half, "high": points["log10"] + half}
    if named := interval_of(quantity):
        ends = {end: np.log10(points[name]).fillna(ends[end]) for end, name in zip(ends, named, strict=True)}
    return points.assign(value=points["log10"], **ends)


def threshold_layer(levels: dict[float, str], first: float, x: Any, y: Any) -> Any:
    """Dashed lines at levels (log10), labelled at the left."""
    data = pd.DataFrame({"value": list(levels), "text": list(levels.values()), "year": first})
    base = alt.Chart(data)
    rule = base.mark_rule(color=style.DARK, strokeDash=[3, 3], opacity=0.6).encode(y)
    words = base.mark_text(align="left", dx=4, dy=-6, fontSize=11, color=style.DARK).encode(x, y, alt.Text("text:N"))
    return style.layered(rule, words)


def names_layer(points: pd.DataFrame, names: dict[str, tuple[str, str]], x: Any, y: Any) -> Any:
    """Names beside some points, which get a ring; `names` gives the text and its position (left, above, below) by
    model_id."""
    places = {
        "left": ("right", -6, 0),
        "above": ("center", 0, -9),
        "below": ("center", 0, 11),
    }
    layers = []
    for place, (align, dx, dy) in places.items():
        wanted = {model: text for model, (text, where) in names.items() if where == place}
        some = points[points["model_id"].isin(list(wanted))]
        data = some.assign(text=some["model_id"].map(wanted))[["year", "value", "text"]].round(3)
        if len(data):
            ring = alt.Chart(data).mark_point(size=60, color=style.DARK, strokeWidth=1.2, filled=False, opacity=1)
            layers.append(ring.encode(x, y))
            layers += [_words(data, x, y, align=align, dx=dx, dy=dy, **halo) for halo in (HALO, {})]
    return style.layered(*layers)


def _words(data: pd.DataFrame, x: Any, y: Any, **mark: Any) -> Any:
    """Texts at points, drawn first with a white outline so that they can be read on top of dots."""
    settings = {"fontSize": 11, "color": style.DARK, "baseline": "middle", **mark}
    return alt.Chart(data).mark_text(**settings).encode(x, y, alt.Text("text:N"))


def rate(row: pd.Series) -> str:
    """A growth rate with its interval, as figures print it."""
    return f"{row['growth_per_year']:.1f}× a year [{row['growth_low']:.1f}–{row['growth_high']:.1f}]"


def key_layer(entries: list[tuple[str, str]], x: float, y: float) -> Any:
    """A key of coloured dots with words, downwards from a position in pixels."""
    layers = []
    for i, (text, colour) in enumerate(entries):
        base = alt.Chart(pd.DataFrame({"text": [text]}))
        dot, start, line = alt.XValue(x), alt.XValue(x + 9), alt.YValue(y + KEY_STEP * i)
        layers.append(base.mark_circle(size=70, color=colour, opacity=1).encode(dot, line))
        words = {"align": "left", "fontSize": 12, "color": style.DARK, "baseline": "middle"}
        layers += [base.mark_text(**words, **halo).encode(alt.Text("text:N"), start, line) for halo in (HALO, {})]
    return style.layered(*layers)


def keyed(
    layers: list[Any],
    entries: list[tuple[str, str]],
    top: float = 12,
    width: int = style.WIDTH,
    height: int = style.HEIGHT,
) -> Any:
    """The layers in one plot of that size, with a key from `top` on at the left."""
    return style.layered(*layers, key_layer(entries, 12, top), width=width, height=height)


def equal_lines(field: str, low: float, high: float, x: Any, y: Any) -> list[Any]:
    """The line where log10 of `field` and of `value` are equal, and dashed ones where they are a factor of 3 apart."""
    layers = []
    for shift, dash in ((0.0, [1, 0]), (math.log10(3), [3, 3]), (-math.log10(3), [3, 3])):
        ends = pd.DataFrame({field: [low, high], "value": [low + shift, high + shift]})
        line = alt.Chart(ends).mark_line(color=style.DARK, strokeWidth=1, strokeDash=dash, clip=True)
        layers.append(line.encode(x, y))
    return layers
