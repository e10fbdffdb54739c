"""One page for each organisation, country, chip and source, with its models; and a list of all things of each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from pipeline.site.metadata import thing_data
from pipeline.site.model_page import read_lines, sizes
from pipeline.site.picture import Axis, axis_of, years_picture
from pipeline.site.site import KINDS, Site
from pipeline.site.words import day, flop, number, outside, titled
from traincompute.explain.brief import WHO
from traincompute.explain.full import FLOP
from traincompute.query.columns import read_columns
from traincompute.query.rows import Row, rows
from traincompute.show.values import interval, short_power

# id of the thing and model_id of each of its models; of a source, those whose training compute it gives
MODELS_OF = {
    "organization": "select unnest(organizations) as thing, model_id from models",
    "country": "select unnest(countries) as thing, model_id from models",
    "chip": "select distinct hardware_id as thing, model_id from model_hardware where hardware_id is not null",
    "source": "select source_id as thing, model_id from claims where field = 'training_compute_flop'"
    " and status = 'selected'",
}
ROWS_OF = {
    "organization": "select organization as thing, * from organizations",
    "country": "select distinct unnest(countries) as thing from models",
    "chip": "select hardware_id as thing, * from hardware",
    "source": "select source_id as thing, * from sources",
}
PARTS = "select parent, organization from organizations where parent is not null order by all"
CLAIMS = """
select source_id, count(*) as claims, count(*) filter (status = 'selected') as used, count(distinct model_id) as models
from claims group by all"""
SNAPSHOTS = "select source_id, snapshot, records, facts, sha256 from snapshots order by source_id, snapshot desc"
NOT_SHOWN = ("thing", "hardware_id", "name", "reference_url", "source_id")  # of a chip
MOST_DECADES = 8  # from the largest model downwards, so that intervals can be told apart
Card = tuple[str, Markup | str]


def write_things(site: Site) -> None:
    """organization/, country/, chip/, source/: a page for each, and index.html of every kind, that of the models
    included."""
    lines = read_lines(site)
    cards = _Cards(site)
    for kind, query in ROWS_OF.items():
        about = {row["thing"]: row for row in rows(site.connection, query)}
        members: dict[str, set[str]] = {}
        for row in rows(site.connection, MODELS_OF[kind]):
            members.setdefault(row["thing"], set()).add(row["model_id"])
        listed = []
        for key, path in site.paths[kind].items():
            own = members.get(key, set())
            models = [line for name, line in lines.items() if name in own] if own else []
            row = about.get(key, {})
            name = str(row.get("title") or row.get("name") or key)
            values = _page(site, kind, name, models, [*cards.of[kind](key, row), *_counts(site, kind, models)])
            structured = thing_data(kind, name, row)
            snapshots = cards.snapshots.get(key, []) if kind == "source" else []
            site.render("thing.html", path, **values, structured=structured, snapshots=snapshots)
            listed.append((site.link(kind, key, name), number(len(models)), models[0]["name"] if models else ""))
        _write_list(site, kind, ["models", "largest"], listed)
    of_models = [
        (site.link("model", line["model_id"], line["name"]), line["organization"] or "", day(line))
        for line in lines.values()
    ]
    _write_list(site, "model", ["developer", "published"], of_models)


def _write_list(site: Site, kind: str, heads: Sequence[str], listed: Sequence[tuple[Markup | str, ...]]) -> None:
    """KIND/index.html: all things of a kind by name."""
    ordered = sorted(listed, key=lambda cells: (Markup(cells[0]).striptags().casefold(), str(cells[0])))
    site.render("list.html", f"{kind}/index.html", kind=KINDS[kind], heads=heads, things=ordered)


def _page(site: Site, kind: str, name: str, models: Sequence[Row], cards: Sequence[Card]) -> dict[str, Any]:
    """The values of the template thing.html; the largest model comes first."""
    count = "1 model" if len(models) == 1 else f"{len(models):,} models"
    first = models[0]["name"] if models else ""
    facts = "; ".join(f"{title}: {Markup(text).striptags()}" for title, text in cards[:3])
    return {
        "kind": KINDS[kind].one,
        "name": name,
        "description": f"Training compute of {count} of {name}; largest: {first}." if models else f"{name}. {facts}.",
        "cards": cards,
        "models": _shown(site, models),
        "years": years_picture(models),
        "of_source": kind == "source",
    }


def _shown(site: Site, models: Sequence[Row]) -> list[Row]:
    """The rows of the table of models, with their intervals on one axis."""
    ends = [size for line in models for size in sizes(line) if size]
    axis = axis_of(ends, MOST_DECADES) if ends else None
    return [_shown_line(site, line, axis) for line in models]


def _shown_line(site: Site, line: Row, axis: Axis | None) -> Row:
    point, low, high = sizes(line)
    bar = None
    if axis and point and low and high:
        bar = axis.place(low), round(axis.place(high) - axis.place(low), 1), axis.place(point)
    return {
        "link": site.link("model", line["model_id"], line["name"]),
        "makers": ", ".join(line["organizations"] or []),
        "day": day(line),
        "amount": short_power(f"{point:.3g}") if point else "unknown",
        "interval": short_power(interval(low, high)) if low and high else "",
        "bar": bar,
        "hollow": not line[FLOP],
        "who": WHO[line["training_compute_source"]] if line[FLOP] else "no value; our interval" if point else "",
    }


def _counts(site: Site, kind: str, models: Sequence[Row]) -> Iterator[Card]:
    """How many models, how many of them have a value, and the largest."""
    if models and kind != "source":
        valued = [line for line in models if line[FLOP]]
        yield "Models", number(len(models))
        yield "With a value", number(len(valued))
        if valued:
            largest = max(valued, key=lambda line: line[FLOP])
            name = site.link("model", largest["model_id"], largest["name"])
            yield "Largest with a value", name + ", " + flop(largest[FLOP]) + " FLOP"


class _Cards:
    """What is known of each thing besides its models, by kind."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.meanings = read_columns(site.connection, "hardware")
        self.parts: dict[str, list[str]] = {}
        for row in rows(site.connection, PARTS):
            self.parts.setdefault(row["parent"], []).append(row["organization"])
        self.claims = {row["source_id"]: row for row in rows(site.connection, CLAIMS)}
        self.snapshots: dict[str, list[tuple[str, str, str, str]]] = {}
        for row in rows(site.connection, SNAPSHOTS):
            records, facts = ("" if row[name] is None else f"{row[name]:,}" for name in ("records", "facts"))
            cells = str(row["snapshot"]), records, facts, (row["sha256"] or "")[:16]
            self.snapshots.setdefault(row["source_id"], []).append(cells)
        self.of: Mapping[str, Callable[[str, Row], Iterator[Card]]] = {
            "organization": self._organization,
            "country": lambda key, row: iter(()),
            "chip": self._chip,
            "source": self._source,
        }

    def _organization(self, key: str, row: Row) -> Iterator[Card]:
        if row.get("parent"):
            yield "Part of", self.site.link("organization", row["parent"])
        if parts := self.parts.get(key):
            yield "Parts", Markup(", ").join(self.site.link("organization", name) for name in parts)
        if row.get("category"):
            yield "Kind", row["category"].replace("_", " ")
        if row.get("country"):
            yield "Country", self.site.link("country", row["country"])
        if row.get("aliases"):
            yield "Also called", ", ".join(row["aliases"])

    def _chip(self, key: str, row: Row) -> Iterator[Card]:
        for column in self.meanings:
            value = row.get(column["name"])
            if value is not None and column["name"] not in NOT_SHOWN:
                unit = "" if column["unit"] == "1" else column["unit"]
                yield titled(column["name"]), number(value, unit) if isinstance(value, int | float) else str(value)
        yield "Source", self.site.link("source", row["source_id"])
        if row["reference_url"]:
            yield "Data", outside(row["reference_url"])

    def _source(self, key: str, row: Row) -> Iterator[Card]:
        yield "Publisher", row["publisher"]
        yield "Licence", row["licence"]
        if row["url"]:
            yield "Address", outside(row["url"])
        if row["attribution"]:
            yield "Attribution", row["attribution"]
        if row["snapshot"]:
            yield "Newest snapshot", str(row["snapshot"])
        if counts := self.claims.get(key):
            yield "Claims", number(counts["claims"])
            yield "Claims used", number(counts["used"])
            yield "Models with claims", number(counts["models"])
