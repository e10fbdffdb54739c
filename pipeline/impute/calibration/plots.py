"""Two plots of a calibration, as SVG and PNG, drawn without a network: predicted against published, and reliability."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd

from pipeline.impute.calibration.evaluate import CASCADE, ENDS
from pipeline.impute.flop.formulas import upper
from traincompute.base.quantiles import SHARES

NAMES = {"base_plus_finetune": "base + fine-tune", "operation_counting": "operation counting"}
TIERS = {1: "a physical method", 2: "the base model alone", 3: "an index, size, data or chips", 4: "date and kind"}
PNG_SCALE = 2


def write_plots(judged: pd.DataFrame, folder: Path) -> list[Path]:
    """Writes predicted.svg, predicted.png, reliability.svg and reliability.png; returns their paths. `judged` is the
    result of evaluate.scored."""
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
    ends = {name: upper(rows["value"], rows[name]) for name in ("low", "high")}
    points = rows.assign(**ends, by=rows["made_by"].replace(NAMES))
    points = points[["published", "value", "low", "high", "by"]]
    span = [float(points["published"].min()), float(points["published"].max())]
    axis = alt.Axis(format=".0e", grid=True)
    x = alt.X("published:Q", title="published training compute (FLOP)", axis=axis).scale(type="log", domain=span)
    y = alt.Y("value:Q", title="estimated, with 90 % interval (FLOP)", axis=axis).scale(type="log")
    colour = alt.Color("by:N", title="method")
    line = alt.Chart(pd.DataFrame({"published": span, "value": span})).mark_line(color="black", strokeWidth=1)
    bars = alt.Chart(points).mark_rule(opacity=0.25)
    dots = alt.Chart(points).mark_circle(size=22, opacity=0.8)
    layers = (
        bars.encode(x, alt.Y("low:Q").scale(type="log"), alt.Y2("high:Q"), colour),
        dots.encode(x, y, colour),
        line.encode(x, y),
    )
    return alt.layer(*layers).properties(width=520, height=520, title=f"{len(points)} notable models, each left out")


def reliability_chart(judged: pd.DataFrame) -> Any:
    """The share of published values below each quantile of what would be taken, against the share that it promises, by
    what the estimate rests on."""
    rows = judged[judged["method"] == CASCADE]
    below = {share: -rows["error_dex"] <= rows[name] for share, name in zip(SHARES.tolist(), ENDS, strict=True)}
    shares = pd.DataFrame(below).groupby(rows["tier"].map(TIERS)).mean().rename_axis("tier").reset_index()
    long = shares.melt("tier", var_name="promised", value_name="below").astype({"promised": "float64"})
    axis = alt.Axis(format=".0%", values=SHARES.tolist())
    x = alt.X("promised:Q", title="quantile", scale=alt.Scale(domain=[0, 1]), axis=axis)
    y = alt.Y("below:Q", title="share of published values below it", scale=alt.Scale(domain=[0, 1]), axis=axis)
    ends = pd.DataFrame({"promised": [0.0, 1.0], "below": [0.0, 1.0]})
    ideal = alt.Chart(ends).mark_line(color="black", strokeDash=[4, 4])
    found = alt.Chart(long).mark_line(point=True).encode(x, y, alt.Color("tier:N", title="rests on"))
    return alt.layer(ideal.encode(x, y), found).properties(width=360, height=360, title="Reliability, out of fold")
