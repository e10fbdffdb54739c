"""Two plots of a calibration, as SVG and PNG, drawn without a network: predicted against published, and reliability."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd

from pipeline.impute.calibration.errors import ANY_PHYSICAL, CASCADE
from pipeline.impute.flop.intervals import LEVELS

NAMES = {"base_plus_finetune": "base + fine-tune", "operation_counting": "operation counting"}
PNG_SCALE = 2


def write_plots(judged: pd.DataFrame, folder: Path) -> list[Path]:
    """Writes predicted.svg, predicted.png, reliability.svg and reliability.png; returns their paths. `judged` is the
    result of errors.out_of_fold."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, chart in (("predicted", predicted_chart(judged)), ("reliability", reliability_chart(judged))):
        for suffix, options in ((".svg", {}), (".png", {"scale_factor": PNG_SCALE})):
            written.append(folder / f"{name}{suffix}")
            chart.save(str(written[-1]), **options)
    return written


def predicted_chart(judged: pd.DataFrame) -> Any:
    """Each estimate of the cascade against the published value, with its 90 % interval; on the line the two are
    equal."""
    rows = judged[judged["method"] == CASCADE]
    half = 10 ** rows["half_width_90"]
    points = rows.assign(low=rows["value"] / half, high=rows["value"] * half, by=rows["made_by"].replace(NAMES))
    points = points[["published", "value", "low", "high", "by"]]
    ends = [float(points["published"].min()), float(points["published"].max())]
    axis = alt.Axis(format=".0e", grid=True)
    x = alt.X("published:Q", title="published training compute (FLOP)", axis=axis).scale(type="log", domain=ends)
    y = alt.Y("value:Q", title="estimated, with 90 % interval (FLOP)", axis=axis).scale(type="log")
    colour = alt.Color("by:N", title="method")
    line = alt.Chart(pd.DataFrame({"published": ends, "value": ends})).mark_line(color="black", strokeWidth=1)
    bars = alt.Chart(points).mark_rule(opacity=0.25)
    dots = alt.Chart(points).mark_circle(size=22, opacity=0.8)
    layers = (
        bars.encode(x, alt.Y("low:Q").scale(type="log"), alt.Y2("high:Q"), colour),
        dots.encode(x, y, colour),
        line.encode(x, y),
    )
    return alt.layer(*layers).properties(width=520, height=520, title=f"{len(points)} notable models, each left out")


def reliability_chart(judged: pd.DataFrame) -> Any:
    """The share of published values inside the intervals against the share that they promise, by method."""
    rows = judged[judged["method"] != ANY_PHYSICAL]
    shares = rows.groupby("method", sort=True)[[f"inside_{level}" for level in LEVELS]].mean()
    long = shares.set_axis([level / 100 for level in LEVELS], axis=1).reset_index()
    long = long.melt("method", var_name="promised", value_name="inside").astype({"promised": "float64"})
    long = long.assign(method=long["method"].replace(NAMES))
    scale = alt.Scale(domain=[0.4, 1])
    x = alt.X("promised:Q", title="promised share", scale=scale, axis=alt.Axis(format=".0%"))
    y = alt.Y("inside:Q", title="share of published values inside", scale=scale, axis=alt.Axis(format=".0%"))
    ends = pd.DataFrame({"promised": [0.4, 1.0], "inside": [0.4, 1.0]})
    ideal = alt.Chart(ends).mark_line(color="black", strokeDash=[4, 4])
    found = alt.Chart(long).mark_line(point=True).encode(x, y, alt.Color("method:N", title="method"))
    return alt.layer(ideal.encode(x, y), found).properties(width=360, height=360, title="Reliability, out of fold")
