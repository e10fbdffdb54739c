"""Past estimates of models whose training compute was published later, against that value."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pipeline.present.figures import parts, style
from pipeline.present.figures.data import Data

TIERS = {
    1: ("a physical method", style.BLUE),
    2: ("the base model", style.GREEN),
    3: ("size, data or chips", style.ORANGE),
    4: ("date and kind alone", style.PURPLE),
}
ROUND, STEP = 2, 4  # powers of ten: to which the ends of the axes are rounded, and between two ticks


def draw(data: Data) -> dict[str, Any]:
    """The figure as a Vega-Lite specification."""
    points = last_estimates(data.table("scores"))
    low = math.floor(points[["later", "low"]].min().min() / ROUND) * ROUND
    high = math.ceil(points[["later", "high"]].max().max() / ROUND) * ROUND
    titles = ("later", "Published later (FLOP)"), ("value", "Estimated before (FLOP)")
    x, y = style.equal_axes(*titles, low, high, STEP)
    layers, key = parts.equal_lines("later", low, high, x, y), []
    for tier, (word, colour) in TIERS.items():
        some = points[points["tier"] == tier]
        if len(some):
            rules = alt.Chart(some).mark_rule(color=colour, opacity=0.35, clip=True, aria=False)
            dots = alt.Chart(some).mark_circle(size=30, color=colour, clip=True, aria=False)
            layers += [rules.encode(x, y.copy(), alt.Y2("high:Q")).encode(y=alt.Y("low:Q")), dots.encode(x, y)]
            key.append((f"from {word}: {len(some)}", colour))
    chart = parts.keyed(layers, key, width=style.SIDE, height=style.SIDE)
    subtitle = [_sentence(points), "From the facts of the last snapshot without a value. Dashed: a factor of 3."]
    return style.finish(chart, "Past estimates and what was published later", subtitle, data.caption())


def last_estimates(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per model, that of its last snapshot without a value: model_id, tier, is_inside, near (within a factor of
    3) and log10 of the later value, the estimate and the ends of its 90 % interval."""
    last = scores.sort_values("vintage").drop_duplicates("model_id", keep="last")
    log10 = {"later": "later_flop", "value": "flop_50", "low": "flop_05", "high": "flop_95"}
    made = {name: np.log10(last[column]).round(3) for name, column in log10.items()}
    near = last["error_dex"].abs() <= math.log10(3)
    return last[["model_id", "tier", "is_inside"]].assign(near=near, **made)


def _sentence(points: pd.DataFrame) -> str:
    inside, near = points["is_inside"].mean(), points["near"].mean()
    return (
        f"{len(points)} models: {100 * near:.0f} % within a factor of 3, {100 * inside:.0f} % inside the 90 % interval"
        " (rules)."
    )
