"""What sources changed after the fact: training compute that was raised, cut, blanked or filled in afterwards."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pipeline.impute.trends.prepare import decimal_year
from pipeline.present.figures import parts, style
from pipeline.present.figures.data import Data

FIRST, LAST = 2010.0, 2027.0
LOW, HIGH = 13, 28
FACTOR = 1.5
COLOURS = {"raised": style.ORANGE, "cut": style.BLUE, "blanked": style.RED, "filled in": style.GREEN}
WORDS = {
    "raised": f"raised by a factor of {FACTOR:g} or more",
    "cut": f"cut by a factor of {FACTOR:g} or more",
    "blanked": "blanked",
    "filled in": "filled in afterwards",
}
SOURCE = "epoch_notable"


def draw(data: Data) -> dict[str, Any]:
    """The figure as a Vega-Lite specification."""
    changes = large_changes(data.table("revisions"), data.models)
    changes = changes[changes["year"] >= FIRST]
    low = math.floor(min(LOW, changes[["old", "new"]].min().min()))
    x, y = style.year_axis(FIRST, LAST), style.power_axis("value", "Training compute (FLOP)", low, HIGH)
    layers: list[Any] = []
    for what, colour in COLOURS.items():
        some = changes[changes["what"] == what]
        moved = some.dropna(subset=["old", "new"])[["year", "old", "new"]].round(3)
        rule = alt.Chart(moved).mark_rule(color=colour, opacity=0.7, strokeWidth=1.5, clip=True)
        layers.append(rule.encode(x, style.power_axis("old", "Training compute (FLOP)", low, HIGH), alt.Y2("new:Q")))
        dots = some.assign(value=some["new"].fillna(some["old"]))[["year", "value"]].round(3)
        mark = {"shape": "cross", "angle": 45} if what == "blanked" else {"shape": "circle"}
        points = alt.Chart(dots).mark_point(color=colour, filled=True, size=42, opacity=0.9, clip=True, **mark)
        layers.append(points.encode(x, y))
    key = [(f"{word}: {int((changes['what'] == what).sum())}", COLOURS[what]) for what, word in WORDS.items()]
    days = data.table("revisions").query("source_id == @SOURCE")
    subtitle = [
        f"Training compute in the notable file between its snapshots of "
        f"{days['from_snapshot'].min().date()} and {days['to_snapshot'].max().date()}.",
        "A rule runs from the old value to the new one (dot), at the date of publication (since 2010).",
    ]
    return style.finish(parts.keyed(layers, key), "History that was rewritten", subtitle, data.caption())


def large_changes(revisions: pd.DataFrame, models: pd.DataFrame) -> pd.DataFrame:
    """year of publication, what happened, log10 of the old and new FLOP; changes by less than FACTOR are left out."""
    some = revisions[(revisions["field"] == "training_compute_flop") & (revisions["source_id"] == SOURCE)]
    dates = models.dropna(subset=["publication_date"]).set_index("model_id")["publication_date"]
    some = some.assign(date=some["model_id"].map(dates)).dropna(subset=["date"])
    words = {"blanked": "blanked", "filled": "filled in"}
    what = some["kind"].map(words).mask(some["ratio"] >= FACTOR, "raised").mask(some["ratio"] <= 1 / FACTOR, "cut")
    log10 = {side: np.log10(some[f"{side}_value"]) for side in ("old", "new")}
    changes = some.assign(what=what, year=decimal_year(some["date"]), **log10)
    return changes.dropna(subset=["what"])[["year", "what", "old", "new"]]
