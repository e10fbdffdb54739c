"""The compute of all chips in use by quarter, beside the largest training run of each year."""

from __future__ import annotations

import itertools
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pipeline.config import load_constants
from pipeline.impute.trends.prepare import decimal_year
from pipeline.present.figures import parts, style
from pipeline.present.figures.data import Data

FIRST, LAST = 2022, 2027
LOW, HIGH = 23, 31
SECONDS_PER_YEAR = 365.25 * 86_400
ENDS = {"value": "h100_equivalents", "low": "h100_equivalents_p5", "high": "h100_equivalents_p95"}
TITLE = "FLOP of a run, or of all chips in a year"


def draw(data: Data) -> dict[str, Any]:
    """The figure as a Vega-Lite specification."""
    peak = load_constants(data.paths)["equivalents"]["h100"]
    supply, largest = in_use(data.table("chip_stock"), peak), largest_runs(data.prepared, data.models)
    x, y = style.year_axis(FIRST, LAST, 1), style.power_axis("value", TITLE, LOW, HIGH, 1)
    x.title = "End of the quarter, or date of publication"
    layers = [*_supply(supply, x, y), *_runs(largest, x, y)]
    key = [("all chips in use, a year at peak", style.BLUE), ("largest training run of the year", style.RED)]
    chart = parts.keyed(layers, key, top=style.HEIGHT - 30)
    last = largest[largest["year"] < supply["year"].max()].iloc[-1]
    subtitle = [
        "Chips made since 2022 (NVIDIA; Google from 2023; AMD, Amazon from 2024) in H100 equivalents",
        "× the dense 16-bit peak of an H100. Band: sums of the 5 % and of the 95 % points.",
        (
            f"{last['name']}, the largest run of {int(last['year'])}: {_span(last, supply)} of all chips then in use,"
            " at peak."
        ),
    ]
    credit = "Chips: Epoch AI, AI chip sales (CC BY 4.0)."
    return style.finish(chart, "Compute in use and the largest training run", subtitle, data.caption(credit))


def in_use(stock: pd.DataFrame, peak: float) -> pd.DataFrame:
    """By end of a quarter (year) log10 of the FLOP of all chips so far in a year at peak, with the 5 and 95 % points;
    as far as the quarters of all designers are complete."""
    of_all = (stock["scope"] == "cumulative") & stock["chip"].isna() & stock["owner"].isna()
    totals = stock[of_all & stock["is_complete"].astype("bool")]
    until = totals.groupby("designer")["last_date"].max().min()
    totals = totals[totals["last_date"] <= until]
    sums = totals.groupby("last_date", as_index=False)[list(ENDS.values())].sum()
    flop = {name: np.log10(sums[column] * peak * SECONDS_PER_YEAR) for name, column in ENDS.items()}
    by_year: pd.DataFrame = sums.assign(year=decimal_year(sums["last_date"]), **flop)[["year", *ENDS]]
    return by_year


def largest_runs(prepared: pd.DataFrame, models: pd.DataFrame) -> pd.DataFrame:
    """The model with most published training compute of each year, with `value` (log10)."""
    known = prepared[prepared["training_compute_flop"].notna() & (prepared["year"] >= FIRST)]
    most = known.groupby(known["year"].astype("int64"))["training_compute_flop"].idxmax()
    found = known.loc[most].merge(models[["model_id", "name"]], on="model_id")
    return found.assign(value=np.log10(found["training_compute_flop"]))


def _supply(supply: pd.DataFrame, x: Any, y: Any) -> list[Any]:
    base = alt.Chart(supply.round(3))
    low = style.power_axis("low", TITLE, LOW, HIGH, 1)
    band = base.mark_area(color=style.BLUE, opacity=0.22).encode(x, low, alt.Y2("high:Q"))
    line = base.mark_line(color=style.BLUE, strokeWidth=2).encode(x, y)
    return [band, line, base.mark_circle(color=style.BLUE, size=30, opacity=1).encode(x, y)]


def _runs(largest: pd.DataFrame, x: Any, y: Any) -> list[Any]:
    places = itertools.cycle(("below", "above"))  # two of them are close to each other
    rows = zip(largest["model_id"], largest["name"], places, strict=False)
    names = {model_id: (name, place) for model_id, name, place in rows}
    dots = parts.points_layer(largest, x, y, style.RED, size=60, opacity=1)
    return [dots, parts.names_layer(largest, names, x, y)]


def _span(run: pd.Series, supply: pd.DataFrame) -> str:
    """For how long the chips in use at the date of a run would have to work on it."""
    known = supply[supply["year"] <= run["year"]].iloc[-1]
    hours = 10 ** (run["value"] - known["value"]) * SECONDS_PER_YEAR / 3600
    return f"{hours:.0f} hours" if hours >= 2 else f"{hours * 60:.0f} minutes"
