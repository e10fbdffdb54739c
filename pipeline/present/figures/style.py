"""How every figure looks: colours, fonts, axes, caption. 600 px wide, for colour-blind readers, units on the axes."""

from __future__ import annotations

from typing import Any

import altair as alt

Spec = dict[str, Any]

# Okabe & Ito 2008, Color Universal Design (jfly.uni-koeln.de/color); black and yellow are left out as too strong and
# too weak
BLUE, ORANGE, GREEN, RED, SKY, PURPLE = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7"
GREY, DARK, LIGHT = "#8c8c8c", "#333333", "#dddddd"
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
WIDTH, HEIGHT = 510, 330  # of the plot itself; with axes and margins a figure is 600 px wide
SIDE = WIDTH - 70  # of a square plot
POWERS = "'1e' + datum.value"  # log10 values printed as 1e20, as the tables do


def year_axis(first: float, last: float, step: int = 2) -> Any:
    """A time axis in decimal years, free of time zones."""
    ticks = list(range(int(first), int(last) + 1, step))
    axis = alt.Axis(format="d", values=ticks, grid=False)
    return alt.X("year:Q", title="Date of publication", scale=_span(first, last), axis=axis)


def power_axis(field: str, title: str, low: float, high: float, step: int = 2, channel: Any = alt.Y) -> Any:
    """An axis of log10 values, upwards unless `channel` says otherwise."""
    axis = alt.Axis(values=list(range(int(low), int(high) + 1, step)), labelExpr=POWERS)
    return channel(f"{field}:Q", title=title, scale=_span(low, high), axis=axis)


def equal_axes(x: tuple[str, str], y: tuple[str, str], low: int, high: int, step: int) -> tuple[Any, Any]:
    """Two axes of log10 values (field and title of each) over the same span, with ticks at the multiples of `step`."""
    axis = alt.Axis(values=[power for power in range(low, high + 1) if power % step == 0], labelExpr=POWERS)
    return tuple(
        channel(f"{field}:Q", title=title, scale=_span(low, high), axis=axis)
        for channel, (field, title) in ((alt.X, x), (alt.Y, y))
    )


def _span(first: float, last: float) -> Any:
    return alt.Scale(domain=[first, last], nice=False)


def layered(*charts: Any, **size: int) -> Spec:
    """Charts on top of each other, in Vega-Lite: altair would copy and check all of them again with each layer."""
    return {"layer": [written(chart) for chart in charts], **size}


def stacked(*charts: Spec, spacing: int) -> Spec:
    """Charts below each other."""
    return {"vconcat": list(charts), "spacing": spacing}


def written(chart: Any) -> Spec:
    """The Vega-Lite of a chart of altair's, with its rows in it; its parts were checked when they were made."""
    if isinstance(chart, dict):
        return chart
    spec = chart.to_dict(validate=False)
    kept = {name: part for name, part in spec.items() if name in ("mark", "encoding", "width", "height")}
    return kept | {"data": {"values": spec["datasets"][spec["data"]["name"]]}}


def finish(chart: Any, title: str, subtitle: list[str], caption: str | list[str]) -> Spec:
    """The figure as a Vega-Lite specification, with title above and source and version below."""
    head = alt.Title(
        title, subtitle=subtitle, anchor="start", frame="group", fontSize=15, subtitleFontSize=12, offset=10
    )
    foot = alt.Title(
        caption, orient="bottom", anchor="start", frame="bounds", fontSize=10, fontWeight="normal", color=GREY, offset=8
    )
    config = alt.Config(
        font=FONT,
        axis=alt.AxisConfig(
            labelFontSize=12, titleFontSize=12, titleFontWeight="normal", gridColor="#eeeeee", domainColor=GREY,
            tickColor=GREY, labelColor=DARK, titleColor=DARK, titlePadding=8,
        ),
        legend=alt.LegendConfig(
            labelFontSize=12, titleFontSize=12, titleFontWeight="normal", symbolSize=70, symbolOpacity=1
        ),
        view=alt.ViewConfig(stroke=None),
        title=alt.TitleConfig(color=DARK, subtitleColor="#555555"),
    )  # fmt: skip
    frame = {"title": foot.to_dict(), "padding": 8, "background": "white", "config": config.to_dict()}
    return {"$schema": alt.SCHEMA_URL, **frame, "vconcat": [written(chart) | {"title": head.to_dict()}]}
