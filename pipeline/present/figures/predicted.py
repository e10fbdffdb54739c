"""What each method would have estimated for models whose training compute is published, against the published value."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pipeline.present.figures import parts, style
from pipeline.present.figures.data import Data

# the regression is fitted to the same values; `traincompute dev calibrate` judges it out of fold
METHODS = {
    "operation_counting": ("6ND", style.BLUE),
    "hardware": ("hardware", style.ORANGE),
    "base_plus_finetune": ("base model", style.GREEN),
}
LOW, HIGH, STEP = 6, 28, 4  # powers of ten: the ends of the axes, and between two ticks


def draw(data: Data) -> dict[str, Any]:
    """The figure as a Vega-Lite specification."""
    pairs = predictions(data.table("estimates"))
    axes = {
        name: _axis(name, title)
        for name, title in (("published", "Published training compute (FLOP)"), ("value", "Estimate (FLOP)"))
    }
    x, y = alt.X(**axes["published"]), alt.Y(**axes["value"])
    layers = []
    for shift, dash in ((0.0, [1, 0]), (math.log10(3), [3, 3]), (-math.log10(3), [3, 3])):
        ends = pd.DataFrame({"published": [LOW, HIGH], "value": [LOW + shift, HIGH + shift]})
        layers.append(
            alt.Chart(ends).mark_line(color=style.DARK, strokeWidth=1, strokeDash=dash, clip=True).encode(x, y)
        )
    key = []
    for method, (word, colour) in METHODS.items():
        some = pairs[pairs["method"] == method]
        if len(some):
            layers.append(
                alt.Chart(some[["published", "value"]].round(3))
                .mark_circle(size=22, color=colour, opacity=0.6, clip=True, aria=False)
                .encode(x, y)
            )
            near = (some["off"].abs() <= math.log10(3)).mean()
            key.append((f"{word}: {len(some)} models, {100 * near:.0f} % within a factor of 3", colour))
    chart = alt.layer(*layers, parts.key_layer(key, 12, 12)).properties(width=style.WIDTH - 70, height=style.WIDTH - 70)
    subtitle = [
        "Physical estimates for models whose value is published; dashed: a factor of 3.",
        "Some published values were calculated in the same way, and agree for that reason.",
    ]
    return style.finish(chart, "Estimated and published training compute", subtitle, data.caption())


def predictions(estimates: pd.DataFrame) -> pd.DataFrame:
    """method, log10 of estimate (`value`) and published FLOP, and `off`, their difference."""
    some = estimates[(estimates["field"] == "training_compute_flop") & estimates["disagreement_dex"].notna()]
    log10 = np.log10(some["value"])
    return some[["method"]].assign(
        value=log10, published=log10 - some["disagreement_dex"], off=some["disagreement_dex"]
    )


def _axis(field: str, title: str) -> dict[str, Any]:
    return {
        "shorthand": f"{field}:Q",
        "title": title,
        "scale": alt.Scale(domain=[LOW, HIGH], nice=False),
        "axis": alt.Axis(
            values=[power for power in range(LOW, HIGH + 1) if power % STEP == 0], labelExpr="'1e' + datum.value"
        ),
    }
