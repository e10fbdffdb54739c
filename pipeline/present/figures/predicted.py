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
    titles = ("published", "Published training compute (FLOP)"), ("value", "Estimate (FLOP)")
    x, y = style.equal_axes(*titles, LOW, HIGH, STEP)
    layers, key = parts.equal_lines("published", LOW, HIGH, x, y), []
    for method, (word, colour) in METHODS.items():
        some = pairs[pairs["method"] == method]
        if len(some):
            dots = alt.Chart(some[["published", "value"]].round(3))
            layers.append(dots.mark_circle(size=22, color=colour, opacity=0.6, clip=True, aria=False).encode(x, y))
            near = (some["off"].abs() <= math.log10(3)).mean()
            key.append((f"{word}: {len(some)} models, {100 * near:.0f} % within a factor of 3", colour))
    subtitle = [
        "Physical estimates for models whose value is published; dashed: a factor of 3.",
        "Some published values were calculated in the same way, and agree for that reason.",
    ]
    return style.finish(
        parts.keyed(layers, key, width=style.SIDE, height=style.SIDE),
        "Estimated and published training compute",
        subtitle,
        data.caption(),
    )


def predictions(estimates: pd.DataFrame) -> pd.DataFrame:
    """method, log10 of estimate (`value`) and published FLOP, and `off`, their difference."""
    some = estimates[(estimates["field"] == "training_compute_flop") & estimates["disagreement_dex"].notna()]
    log10 = np.log10(some["value"])
    return some[["method"]].assign(
        value=log10, published=log10 - some["disagreement_dex"], off=some["disagreement_dex"]
    )
