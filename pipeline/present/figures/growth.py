"""FLOP, parameters, cost and power over time: all training runs, those that led when they came out, and lines with 90 %
bands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pipeline.impute.derive.run_ids import first_of_run
from pipeline.impute.trends import series
from pipeline.present.figures import parts, style
from pipeline.present.figures.data import Data
from pipeline.present.thresholds import names_above

FIRST, LAST = 2010, 2027


@dataclass(frozen=True)
class Plan:
    """What differs between these figures."""

    quantity: str
    title: str
    axis: str
    low: float
    high: float
    step: int
    names: dict[str, tuple[str, str]] = field(default_factory=dict)
    thresholds: dict[float, str] = field(default_factory=dict)
    note: str = ""


FLOP = Plan(
    "training_compute_flop",
    "Training compute of notable models",
    "Training compute (FLOP)",
    13, 29, 2,
    names={
        "gpt-3-175b": ("GPT-3", "left"),
        "gpt-4": ("GPT-4", "left"),
        "deepseek-v3": ("DeepSeek-V3", "below"),
        "alphago-lee": ("AlphaGo Lee", "left"),
    },
    thresholds=names_above(1e25),
    note="Rules: 90 % interval of a value.",
)  # fmt: skip
PARAMETERS = Plan("parameters", "Size of notable models", "Parameters", 2, 14, 2)
COST = Plan("training_cost_usd", "Cost of training notable models", "Cost of compute (US dollars of 2023)", 0, 9, 1)
POWER = Plan("training_power_w", "Power drawn while training notable models", "Power (W)", 1, 9, 1)


def draw(data: Data, plan: Plan) -> dict[str, Any]:
    """The figure as a Vega-Lite specification."""
    points = parts.own_interval(series.make_points(data.prepared, plan.quantity), plan.quantity)
    groups = series.plain_groups(points)
    notable, top = (
        first_of_runs(points, series.select(points, groups[name], f"{FIRST}-01-01"))
        for name in ("notable", "running_top_ten")
    )
    x, y = style.year_axis(FIRST, LAST), style.power_axis("value", plan.axis, plan.low, plan.high, plan.step)
    layers = [
        parts.threshold_layer(plan.thresholds, FIRST, x, y),
        *_intervals(points, notable, top, x, plan),
        parts.points_layer(points[notable & ~top], x, y, style.GREY, opacity=0.55),
        parts.band_layer(points, notable, x, y, style.DARK),
        parts.points_layer(points[top], x, y, style.BLUE, opacity=0.9),
        parts.band_layer(points, top, x, y, style.BLUE),
        parts.names_layer(points, plan.names | _largest(points[top], data) if plan.names else {}, x, y),
    ]
    lines = {
        f"{int(top.sum())} among the ten largest by FLOP of their day: {_rate(data, plan, 'running_top_ten')}": (
            style.BLUE
        ),
        f"all {int(notable.sum())} runs of notable models: {_rate(data, plan, 'notable')}": style.GREY,
    }
    chart = parts.keyed(layers, list(lines.items()))
    subtitle = ["Published values; lines of least squares on the logarithm with 90 % bands."]
    return style.finish(chart, plan.title, subtitle, data.caption(plan.note))


def first_of_runs(points: pd.DataFrame, rows: np.ndarray) -> np.ndarray:
    """Of the rows of a mask, the first of each training run."""
    found = rows.copy()
    run, date = points["training_run_id"].to_numpy(dtype=object), points["publication_date"].to_numpy()
    found[rows] = first_of_run(run[rows], date[rows])
    return found


def _largest(points: Any, data: Data) -> dict[str, tuple[str, str]]:
    """The name of the largest point, by model_id."""
    model = points.loc[points["value"].idxmax(), "model_id"]
    return {model: (data.models.set_index("model_id").loc[model, "name"], "left")}


def _rate(data: Data, plan: Plan, group: str) -> str:
    return parts.rate(data.trends.loc[[f"{plan.quantity}:{group}:{FIRST}"]].iloc[0])


def _intervals(points: Any, notable: Any, top: Any, x: Any, plan: Plan) -> list[Any]:
    """Intervals of the values, if the quantity has any."""
    if not points["sd_dex"].any():
        return []
    y = style.power_axis("low", plan.axis, plan.low, plan.high, plan.step)
    return [
        parts.interval_layer(points[notable & ~top], x, y, style.GREY),
        parts.interval_layer(points[top], x, y, style.BLUE),
    ]
