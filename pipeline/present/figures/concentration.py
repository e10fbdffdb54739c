"""How concentrated training compute is: the share per year of the organisations and countries that have most of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd

from pipeline.present.figures import parts, style
from pipeline.present.figures.data import Data
from pipeline.registry.schema import LIST_SEPARATOR

FIRST, LAST = 2012, 2026
LINES = {
    "largest organisation": (style.BLUE, "circle"),
    "three largest organisations": (style.SKY, "square"),
    "United States": (style.RED, "triangle-up"),
    "China": (style.ORANGE, "diamond"),
}


def draw(data: Data) -> dict[str, Any]:
    """The figure as a Vega-Lite specification."""
    shares = compute_shares(data.prepared, data.table("organizations"))
    years = alt.Axis(format="d", grid=False, values=list(range(FIRST, LAST + 1, 2)))
    span = alt.Scale(domain=[FIRST - 0.3, LAST + 0.3], nice=False)
    x = alt.X("year:Q", title="Year of publication", scale=span, axis=years)
    full = alt.Scale(domain=[0, 1.3], nice=False)
    shown = alt.Axis(format=".0%", values=[0, 0.2, 0.4, 0.6, 0.8, 1])
    y = alt.Y("share:Q", title="Share of the year's training compute", scale=full, axis=shown)
    layers = []
    for what, (colour, shape) in LINES.items():
        base = alt.Chart(shares[shares["what"] == what][["year", "share"]].round(4)).encode(x, y)
        layers.append(
            base.mark_line(strokeWidth=2, color=colour)
            + base.mark_point(size=50, filled=True, opacity=1, color=colour, shape=shape)
        )
    key = parts.key_layer([(what, colour) for what, (colour, _) in LINES.items()], 12, 8)
    chart = alt.layer(*layers, key).properties(width=style.WIDTH, height=style.HEIGHT)
    subtitle = [
        "Shares of the FLOP of the year's notable models with a published value. Subsidiaries count for",
        "their parent, joint models in equal parts. A few large models decide each year.",
    ]
    return style.finish(chart, "Who has the compute", subtitle, data.caption())


def compute_shares(prepared: pd.DataFrame, organizations: pd.DataFrame) -> pd.DataFrame:
    """year, what (a line of the figure), share of the FLOP of that year's notable models."""
    some = prepared[prepared["is_notable"].fillna(False).astype(bool) & prepared["training_compute_flop"].notna()]
    some = some.assign(year=some["publication_date"].dt.year)
    some = some[some["year"].between(FIRST, LAST)]
    parents = organizations.dropna(subset=["parent"]).set_index("organization")["parent"]
    by_organization = split(some, "organizations", parents.to_dict())
    by_country = split(some, "countries", {})
    ranked = by_organization.groupby("year")["share"].apply(lambda s: s.nlargest(3).to_numpy())
    rows: list[tuple[Any, ...]] = [(year, "largest organisation", top[0]) for year, top in ranked.items()]
    rows += [(year, "three largest organisations", top.sum()) for year, top in ranked.items()]
    rows += [(r.year, r.member, r.share) for r in by_country[by_country["member"].isin(list(LINES))].itertuples()]
    return pd.DataFrame(rows, columns=["year", "what", "share"])


def split(models: pd.DataFrame, column: str, parents: Mapping[Any, str]) -> pd.DataFrame:
    """year, member of a list column (its parent if it has one), share of the year's FLOP; joint models are split
    equally."""
    members = models[["year", "training_compute_flop"]].assign(member=models[column].str.split(LIST_SEPARATOR))
    members = members.explode("member").dropna(subset=["member"])
    members["member"] = members["member"].map(lambda name: parents.get(name, name))
    members["flop"] = members["training_compute_flop"] / members.groupby(level=0)["member"].transform("size")
    total = members.groupby(["year", "member"], as_index=False)["flop"].sum()
    shares: pd.DataFrame = total.assign(share=total["flop"] / total.groupby("year")["flop"].transform("sum"))
    return shares
