"""A plot of time and memory against the number of models."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from bench.row import Row

SIZE = re.compile(r"^([\d,]+) models(: peak memory)?$")


def write_plot(rows: list[Row], target: Path) -> None:
    """Two panels on logarithmic axes: seconds, with a line of equal cost per model, and megabytes."""
    import altair as alt

    points = [_point(row) for row in rows if SIZE.match(row.name)]
    panels = [_panel(alt, [p for p in points if p["what"] == what], what) for what in ("seconds", "peak memory (MB)")]
    chart = alt.hconcat(*panels).configure_view(stroke=None)
    target.parent.mkdir(parents=True, exist_ok=True)
    chart.save(str(target))


def _point(row: Row) -> dict[str, Any]:
    found = SIZE.match(row.name)
    assert found is not None
    what = "peak memory (MB)" if found.group(2) else "seconds"
    return {"models": int(found.group(1).replace(",", "")), "what": what, "figure": row.figure}


def _panel(alt: Any, points: list[dict[str, Any]], what: str) -> Any:
    data = alt.Data(values=points)
    x = alt.X("models:Q", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s", grid=False, tickCount=4))
    kind = "log" if what == "seconds" else "linear"
    y = alt.Y("figure:Q", title=what, scale=alt.Scale(type=kind, zero=kind == "linear"), axis=alt.Axis(tickCount=5))
    base = alt.Chart(data, width=300, height=220).encode(x=x, y=y)
    return base.mark_line(color="#4269d0") + base.mark_circle(color="#4269d0", size=60)
