"""How concentrated training compute is: the share per year of the organisations and countries that have most of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd

from pipeline.present.figures import parts, style
from pipeline.present.figures.data import Data
from pipeline.schema import LIST_SEPARATOR

FIRST, LAST = 2012, 2026
ORGANISATIONS = {"largest organisation": style.BLUE, "second and third": style.SKY, "others": style.LIGHT}
COUNTRIES = {"United States": style.RED, "China": style.ORANGE, "other countries": style.LIGHT}
PANEL_HEIGHT, BAR_WIDTH, KEY_STEP = 140, 22, 165


def draw(data: Data) -> dict[str, Any]:
    """The figure as a Vega-Lite specification: bars of organisations above bars of countries."""
    shares = compute_shares(data.prepared, data.table("organizations"))
    chart = style.stacked(
        _bars(shares, ORGANISATIONS, None), _bars(shares, COUNTRIES, "Year of publication"), spacing=14
    )
    subtitle = [
        "Shares of the FLOP of the year's notable models with a published value. Subsidiaries count for",
        "their parent, joint models in equal parts. A few large models decide each year.",
    ]
    return style.finish(chart, "Who has the compute", subtitle, data.caption())


def _bars(shares: pd.DataFrame, parts_of: Mapping[str, str], title: str | None) -> Any:
    """One bar a year, of parts that add up to 100 %, with their key above."""
    years = alt.Axis(format="d", grid=False, values=list(range(FIRST, LAST + 1, 2)))
    span = alt.Scale(domain=[FIRST - 0.6, LAST + 0.6], nice=False)
    x = alt.X("year:Q", title=title, scale=span, axis=years)
    shown = alt.Axis(labelExpr="datum.value * 100 + ' %'", values=[0, 0.25, 0.5, 0.75, 1])
    y = alt.Y("low:Q", title="Share of compute", scale=alt.Scale(domain=[0, 1], nice=False), axis=shown)
    stacked = shares[shares["what"].isin(list(parts_of))].assign(rank=lambda s: s["what"].map(list(parts_of).index))
    stacked = stacked.sort_values(["year", "rank"])
    stacked["high"] = stacked.groupby("year")["share"].cumsum()
    stacked["low"] = stacked["high"] - stacked["share"]
    layers = []
    for place, (what, colour) in enumerate(parts_of.items()):
        some = stacked[stacked["what"] == what][["year", "low", "high"]].round(4)
        layers.append(alt.Chart(some).mark_bar(size=BAR_WIDTH, color=colour, aria=False).encode(x, y, alt.Y2("high:Q")))
        layers.append(parts.key_layer([(what, colour)], 8 + KEY_STEP * place, -12))
    return style.layered(*layers, width=style.WIDTH, height=PANEL_HEIGHT)


def compute_shares(prepared: pd.DataFrame, organizations: pd.DataFrame) -> pd.DataFrame:
    """year, what (a part of a bar of the figure), share of the FLOP of that year's notable models."""
    some = prepared[prepared["is_notable"].fillna(False).astype(bool) & prepared["training_compute_flop"].notna()]
    some = some.assign(year=some["publication_date"].dt.year)
    some = some[some["year"].between(FIRST, LAST)]
    parents = organizations.dropna(subset=["parent"]).set_index("organization")["parent"]
    by_organization = split(some, "organizations", parents.to_dict())
    by_country = split(some, "countries", {})
    rows: list[tuple[Any, ...]] = []
    for year, shares in by_organization.groupby("year")["share"]:
        first, *next_two = shares.nlargest(3)
        found = (first, sum(next_two), 1 - first - sum(next_two))
        rows += [(year, what, share) for what, share in zip(ORGANISATIONS, found, strict=True)]
    for year, shares in by_country.set_index("member").groupby("year")["share"]:
        named = [float(shares.get(country, 0.0)) for country in list(COUNTRIES)[:2]]
        rows += [(year, what, share) for what, share in zip(COUNTRIES, [*named, 1 - sum(named)], strict=True)]
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
