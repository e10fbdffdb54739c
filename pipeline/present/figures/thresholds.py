"""How many training runs of notable models are above a threshold by year: by their values, and as expected of all."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from pipeline.impute.trends.prepare import decimal_year
from pipeline.present.figures import parts, style
from pipeline.present.figures.data import Data

LEVELS = {23: style.SKY, 24: style.GREEN, 25: style.BLUE, 26: style.RED}
FIRST, LAST = 2018.0, 2027.0


def draw(data: Data) -> dict[str, Any]:
    """The figure as a Vega-Lite specification."""
    table = data.table("thresholds")
    notable = table[table["scope"] == "notable"]
    counts = {level: of_level(notable, level) for level in LEVELS}
    x = style.year_axis(FIRST, LAST, 1)
    layers = [layer for level, colour in LEVELS.items() for layer in _layers(counts[level], x, colour)]
    key = [(f"1e{level} FLOP: {_last(frame)}", LEVELS[level]) for level, frame in counts.items()]
    subtitle = [
        "Training runs of notable models at or above a compute, published by the end of each year.",
        "Lines: runs with a published value or an estimate of ours. Bands: 90 % of 1,000 draws of the",
        "number over the distributions of all notable models, of which many have no value at all.",
    ]
    return style.finish(parts.keyed(layers, key[::-1]), "Training runs above thresholds", subtitle, data.caption())


def of_level(notable: pd.DataFrame, level: int) -> pd.DataFrame:
    """year (decimal), value, low and high of the threshold 10^level."""
    rows = notable[notable["threshold_flop"] == float(f"1e{level}")]
    made = rows.assign(year=decimal_year(rows["published_until"]).round(3))
    named = made.rename(columns={"runs": "value", "low_90": "low", "high_90": "high"})
    return named.loc[made["year"] >= FIRST, ["year", "value", "low", "high"]]


def _layers(frame: pd.DataFrame, x: Any, colour: str) -> list[Any]:
    scale = alt.Scale(type="symlog", constant=1, domain=[0, 400], nice=False)
    ticks = alt.Axis(values=[0, 1, 3, 10, 30, 100, 300])
    y = alt.Y("value:Q", title="Runs so far", scale=scale, axis=ticks)
    low = alt.Y("low:Q", title="Runs so far", scale=scale, axis=ticks)
    base = alt.Chart(frame)
    return [
        base.mark_area(color=colour, opacity=0.22).encode(x, low, alt.Y2("high:Q")),
        base.mark_line(color=colour, strokeWidth=2, point={"color": colour, "size": 20}).encode(x, y),
    ]


def _last(frame: pd.DataFrame) -> str:
    row = frame.iloc[-1]
    return f"{row['value']:.0f} by value, {row['low']:.0f}–{row['high']:.0f} expected"
