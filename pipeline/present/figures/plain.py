"""Figures that show the rows of their query and nothing else: bars of years in parts, and dots in colours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pipeline.impute.trends.prepare import decimal_year
from pipeline.present.figures import style
from pipeline.present.figures.data import DECLARED, Data
from pipeline.present.figures.tokens import OPTIMAL

FIRST, LAST, BAR_WIDTH = 2012, 2026, 24


@dataclass(frozen=True)
class Plan:
    """What differs between these figures: the name of the figure, the colour of each part, and what stands below the
    title."""

    name: str
    colours: dict[str, str]
    subtitle: list[str]


def bars(data: Data, plan: Plan) -> dict[str, Any]:
    """Of rows of year, part and models: a bar for each year, the parts on top of each other."""
    rows = data.asked(DECLARED[plan.name]).set_axis(["year", "part", "models"], axis=1).round(3)
    years = alt.Axis(format="d", grid=False, values=list(range(FIRST, LAST + 1, 2)))
    span = alt.Scale(domain=[FIRST - 0.6, LAST + 0.6], nice=False)
    x = alt.X("year:Q", title="Year of publication", scale=span, axis=years)
    ranked = rows.assign(rank=rows["part"].map(list(plan.colours).index))
    y = alt.Y("models:Q", title="Notable models", stack="zero")
    marks = alt.Chart(ranked).mark_bar(size=BAR_WIDTH, aria=False)
    return _finished(marks.encode(x, y, _colour("part", plan), alt.Order("rank:Q")), data, plan)


def dots(data: Data, plan: Plan, across: tuple[Any, str], upwards: tuple[Any, str], line: Any = None) -> dict[str, Any]:
    """A dot for each row at two of its columns, in the colour of its last column. `across` and `upwards`: axis and
    column; values are drawn by their logarithm, dates as decimal years."""
    rows = data.asked(DECLARED[plan.name])
    (x, first), (y, second) = across, upwards
    drawn = {x["shorthand"].removesuffix(":Q"): _placed(rows[first]), "value": _placed(rows[second])}
    points = pd.DataFrame({**drawn, "part": rows.iloc[:, -1]}).round(3)
    marks = alt.Chart(points).mark_circle(size=30, opacity=0.75, aria=False)
    layers = [line, marks.encode(x, y, _colour("part", plan))]
    return _finished(style.layered(*filter(None, layers)), data, plan)


def _placed(column: pd.Series) -> Any:
    return decimal_year(column) if column.dtype.kind == "M" else np.log10(column)


def _colour(field: str, plan: Plan) -> Any:
    scale = alt.Scale(domain=list(plan.colours), range=list(plan.colours.values()))
    return alt.Color(f"{field}:N", title=None, scale=scale, legend=alt.Legend(orient="top-left"))


def _finished(chart: Any, data: Data, plan: Plan) -> dict[str, Any]:
    sized = style.written(chart) | {"width": style.WIDTH, "height": style.HEIGHT}
    return style.finish(sized, DECLARED[plan.name].title, plan.subtitle, data.caption())


def _sizes(data: Data, plan: Plan) -> dict[str, Any]:
    """Parameters and tokens, with the line on which they stand in the ratio that makes the most of a given compute."""
    x = style.power_axis("parameters", "Parameters", 4, 13, 1, alt.X)
    y = style.power_axis("value", "Tokens seen in training", 5, 15, 1)
    ends = pd.DataFrame({"parameters": [4.0, 13.0]})
    line = alt.Chart(ends.assign(value=ends["parameters"] + np.log10(OPTIMAL)))
    drawn = line.mark_line(color=style.DARK, strokeDash=[3, 3], clip=True).encode(x, y)
    return dots(data, plan, (x, "parameters"), (y, "training_tokens"), drawn)


def _chips(data: Data, plan: Plan) -> dict[str, Any]:
    x, y = style.year_axis(2012, 2027), style.power_axis("value", "FLOP/s", 10, 16, 1)
    x.title = "Date of release"
    return dots(data, plan, (x, "release_date"), (y, "peak_flops"))


def _energy(data: Data, plan: Plan) -> dict[str, Any]:
    x, y = style.year_axis(2010, 2027), style.power_axis("value", "Energy (kWh)", -1, 9, 1)
    return dots(data, plan, (x, "publication_date"), (y, "training_energy_kwh"))


FRACTIONS = ["Models of several count for each by an equal fraction."]
COUNTRIES = Plan(
    "countries",
    {
        "United States": style.RED, "China": style.ORANGE, "United Kingdom": style.BLUE, "Canada": style.SKY,
        "France": style.GREEN, "other countries": style.LIGHT,
    },
    FRACTIONS,
)  # fmt: skip
ORGANISATIONS = Plan(
    "organisations",
    {
        "Google": style.BLUE, "OpenAI": style.GREEN, "Meta": style.SKY, "Microsoft": style.ORANGE, "Alibaba": style.RED,
        "Anthropic": style.PURPLE, "other organisations": style.LIGHT,
    },
    ["Subsidiaries count for their parent.", *FRACTIONS],
)  # fmt: skip
WHOSE = Plan(
    "whose-values",
    {
        "its developers": style.GREEN, "somebody else": style.BLUE, "corrected by us": style.ORANGE,
        "estimated by us": style.SKY, "no value": style.LIGHT,
    },
    ["Notable models of each year by whose value the dataset gives."],
)  # fmt: skip
SIZES = Plan(
    "parameters-tokens",
    {"notable models": style.BLUE, "other models": style.SKY},
    ["Language models not made from another; for mixtures of experts, active parameters.",
     f"Dashed: {OPTIMAL} tokens per parameter, compute-optimal by Hoffmann et al. 2022."],
)  # fmt: skip
CHIPS = Plan(
    "chips",
    {
        "NVIDIA": style.GREEN, "Google": style.BLUE, "AMD": style.RED, "Huawei": style.ORANGE,
        "other designers": style.GREY,
    },
    ["Dense, in FP16 or BF16, of the tensor cores if it has any."],
)  # fmt: skip
ENERGY = Plan(
    "energy",
    {"given by a source": style.RED, "worked out by us": style.SKY},
    ["Training runs of notable models; ours is chips × hours × power."],
)

FIGURES = {
    "energy": partial(_energy, plan=ENERGY),
    "countries": partial(bars, plan=COUNTRIES),
    "organisations": partial(bars, plan=ORGANISATIONS),
    "whose-values": partial(bars, plan=WHOSE),
    "parameters-tokens": partial(_sizes, plan=SIZES),
    "chips": partial(_chips, plan=CHIPS),
}
