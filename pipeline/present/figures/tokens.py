"""Tokens seen per parameter of language models over time, beside the ratio that makes the most of a given compute."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pipeline.impute.flop.result import has_word
from pipeline.present.figures import parts, style
from pipeline.present.figures.data import Data

FIRST, LAST = 2018.0, 2027.0
LOW, HIGH = -1, 6
OPTIMAL = 20  # tokens per parameter, Hoffmann et al. 2022, arXiv:2203.15556, table 3
NAMES = {
    "gpt-3-175b": ("GPT-3", "left"),
    "chinchilla": ("Chinchilla", "below"),
    "llama-3-8b": ("Llama 3 8B", "left"),
    "deepseek-v3": ("DeepSeek-V3", "below"),
}


def draw(data: Data) -> dict[str, Any]:
    """The figure as a Vega-Lite specification."""
    points = ratios(data.prepared, data.models)
    x, y = style.year_axis(FIRST, LAST, 1), style.power_axis("value", "Tokens per parameter", LOW, HIGH, 1)
    notable = points["is_notable"].fillna(False).astype(bool)
    level = math.log10(OPTIMAL)
    layers = [
        parts.threshold_layer({level: "20: compute-optimal (Hoffmann et al. 2022)"}, FIRST, x, y),
        parts.points_layer(points[~notable], x, y, style.SKY, opacity=0.6),
        parts.points_layer(points[notable], x, y, style.BLUE, opacity=0.9),
        _median(points, x, y),
        parts.names_layer(points, NAMES, x, y),
    ]
    key = [
        (f"{int(notable.sum())} notable models", style.BLUE),
        (f"{int((~notable).sum())} others", style.SKY),
        ("median of each year", style.RED),
    ]
    subtitle = [
        "Language models with known tokens; for mixtures of experts, active parameters.",
        "Models made from another are left out: their tokens are often those of the last training only.",
    ]
    return style.finish(parts.keyed(layers, key), "Tokens per parameter", subtitle, data.caption())


def ratios(prepared: pd.DataFrame, models: pd.DataFrame) -> pd.DataFrame:
    """Language models with `value`, log10 of tokens seen per (active) parameter."""
    ratio = models.set_index("model_id")["tokens_per_parameter"].reindex(prepared["model_id"])
    found = prepared.assign(value=np.log10(ratio.to_numpy()))
    return found[found["value"].notna() & has_word(found["domains"], "Language") & (found["year"] >= FIRST)]


def _median(points: pd.DataFrame, x: Any, y: Any) -> Any:
    """A bar over each year at the median of its models, if there are at least five."""
    year = points["publication_date"].dt.year
    found = points.groupby(year)["value"].agg(["median", "size"]).query("size >= 5").rename_axis("year").reset_index()
    data = found.assign(value=found["median"], end=found["year"] + 1)[["year", "end", "value"]].round(3)
    return alt.Chart(data).mark_rule(color=style.RED, strokeWidth=3).encode(x, y, alt.X2("end:Q"))
