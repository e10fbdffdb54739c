"""One page for each organisation, country, chip and source, with its models; and a list of all things of each kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from markupsafe import Markup

from pipeline.site.model_page import Cell, read_lines, sized, sizes
from pipeline.site.picture import axis_of
from pipeline.site.site import KINDS, Site
from pipeline.site.words import day, flop, number, outside, titled
from traincompute.database import Row, rows
from traincompute.explain import FLOP
from traincompute.query.run import read_columns
from traincompute.show.rows import interval, short_power

# id of the thing and model_id of each of its models; of a source, those whose training compute it gives
MODELS_OF = {
    "organization": "select unnest(organizations) as thing, model_id from models",
    "country": "select unnest(countries) as thing, model_id from models",
    "chip": "select distinct hardware_id as thing, model_id from model_hardware where hardware_id is not null",
    "source": "select source_id as thing, model_id from claims where field = 'training_compute_flop'"
    " and status = 'selected'",
}
# what is known of each thing: its columns are shown in this order
ROWS_OF = {
    "organization": """select organization as thing, parent,
        (select list(p.organization order by p.organization) from organizations p where p.parent = o.organization)
        as parts, category, country, aliases from organizations o""",
    "country": "select distinct unnest(countries) as thing from models",
    "chip": "select hardware_id as thing, name as title, * exclude (hardware_id, name) from hardware",
    "source": """select s.source_id as thing, title, s.publisher, licence, url, attribution, snapshot,
        count(claim_id) as claims, count(claim_id) filter (status = 'selected') as claims_used
        from sources s left join claims using (source_id) group by all""",
}
SNAPSHOTS = """
select source_id, snapshot::varchar, format('{:,}', records), format('{:,}', facts), coalesce(sha256[:16], '')
from snapshots order by source_id, snapshot desc"""
LABELS = {"parent": "Part of", "parts": "Subsidiaries", "category": "Type", "aliases": "Also called", "url": "Website",
          "reference_url": "Data", "source_id": "Source"}  # fmt: skip
LINKED = {"parent": "organization", "parts": "organization", "country": "country", "source_id": "source"}
HOMES = "select country, list(organization) as makers from organizations where country is not null group by country"
WHO = {"reported": "developers", "third_party": "third party", "corrected": "our correction", "imputed": "our estimate"}
MOST_DECADES = 8  # from the largest model downwards, so that intervals can be told apart
Card = tuple[str, Cell]
Listed = tuple[str, str, Sequence[Cell]]  # anchor in the list, name, and the cells of its row


def write_things(site: Site) -> None:
    """organization/, country/, chip/, source/: a page for each thing that has one, and index.html of every kind, that
    of the models included."""
    lines = read_lines(site)
    units = {column["name"]: column["unit"] for column in read_columns(site.connection, "hardware")}
    by_source = groupby(site.connection.execute(SNAPSHOTS).fetchall(), lambda row: row[0])
    snapshots = {source: [cells for _, *cells in group] for source, group in by_source}
    homes = {row["country"]: row["makers"] for row in rows(site.connection, HOMES)}
    of_maker: dict[str, list[Row]] = {}
    for kind, query in ROWS_OF.items():
        about = {row.pop("thing"): row for row in rows(site.connection, query)}
        members: dict[str, set[str]] = {}
        for row in rows(site.connection, MODELS_OF[kind]):
            members.setdefault(row["thing"], set()).add(row["model_id"])
        listed: list[Listed] = []
        for key, path in site.paths[kind].items():
            own, row = members.get(key, set()), about.get(key, {})
            models = [line for name, line in lines.items() if name in own] if own else []
            if kind == "organization":
                of_maker[key] = models
            name = str(row.pop("title", key))
            page, _, anchor = path.partition("#")
            largest = site.link("model", models[0]["model_id"], models[0]["name"]) if models else ""
            shown = name if anchor else site.link(kind, key, name)
            listed.append((anchor, name, [shown, number(len(models)), largest, row.get("country") or ""]))
            if not anchor:
                counts = _counts(site, models) if kind != "source" else ()
                site.render(
                    "thing.html",
                    page,
                    kind=KINDS[kind].one,
                    name=name,
                    cards=[*counts, *_cards(site, row, units)],
                    makers=_makers(site, homes.get(key, []), of_maker) if kind == "country" else [],
                    **_table(site, models),
                    snapshots=snapshots.get(key, []) if kind == "source" else [],
                )
        heads = ["models", "largest", "country"] if kind == "organization" else ["models", "largest"]
        _write_list(site, kind, heads, listed)
    of_models: list[Listed] = [
        ("", line["name"], [site.link("model", key, line["name"]), line["organization"] or "", day(line)])
        for key, line in lines.items()
    ]
    _write_list(site, "model", ["developer", "published"], of_models)


def _write_list(site: Site, kind: str, heads: Sequence[str], listed: Sequence[Listed]) -> None:
    """KIND/index.html: all things of a kind by name."""
    ordered = sorted(listed, key=lambda thing: (thing[1].casefold(), str(thing[2][0])))
    things = [(anchor, cells[: len(heads) + 1]) for anchor, _, cells in ordered]
    site.render("list.html", f"{kind}/index.html", kind=KINDS[kind], heads=heads, things=things)


def _table(site: Site, models: Sequence[Row]) -> dict[str, Any]:
    """The rows of the table of models, and the axis on which the bars of their intervals are drawn."""
    ends = [size for line in models for size in sizes(line) if size]
    lines = []
    for line in models:
        point, low, high = sizes(line)
        who = WHO[line["training_compute_source"]] if line[FLOP] else "estimated range" if point else ""
        link, bar = site.link("model", line["model_id"], line["name"]), (low, high, point) if low and high else None
        cells = [
            link,
            ", ".join(line["organizations"] or []),
            day(line),
            short_power(f"{point:.3g}") if point else "unknown",
            short_power(interval(low, high)) if low and high else "",
        ]
        lines.append({"cells": cells, "bar": bar, "hollow": not line[FLOP], "who": who})
    return {"models": lines, "axis": axis_of(ends, MOST_DECADES) if ends else None}


def _makers(site: Site, makers: Sequence[str], of_maker: Mapping[str, Sequence[Row]]) -> list[tuple[Cell, ...]]:
    """The organisations of a country with the largest model of each, the largest first."""
    largest = {name: of_maker[name][0] for name in makers if of_maker.get(name)}
    return [
        (
            site.link("organization", name),
            site.link("model", line["model_id"], line["name"]),
            f"{len(of_maker[name])} models" if len(of_maker[name]) > 1 else "1 model",
            day(line),
            sized(line),
        )
        for name, line in sorted(largest.items(), key=lambda pair: (-(sizes(pair[1])[0] or 0), pair[0]))
    ]


def _counts(site: Site, models: Sequence[Row]) -> Iterator[Card]:
    """How many models, how many of them have a value, and the largest."""
    if models:
        valued = [line for line in models if line[FLOP]]
        yield "Models", number(len(models))
        yield "Models with a value", number(len(valued))
        if valued:
            largest = max(valued, key=lambda line: line[FLOP])
            name = site.link("model", largest["model_id"], largest["name"])
            yield "Largest known model", name + ", " + flop(largest[FLOP]) + " FLOP"


def _cards(site: Site, row: Row, units: Mapping[str, str | None]) -> Iterator[Card]:
    """What is known of a thing besides its models."""
    for column, value in row.items():
        if value is None or value == "":
            continue
        text: Cell = str(value)
        if kind := LINKED.get(column):
            text = Markup(", ").join(site.link(kind, key) for key in (value if isinstance(value, list) else [value]))
        elif column.endswith("url"):
            text = outside(value)
        elif isinstance(value, list):
            text = ", ".join(value)
        elif isinstance(value, int | float):
            unit = units.get(column)
            text = number(value, "" if unit == "1" else unit)
        yield LABELS.get(column, titled(column)), text
