"""What the pages of organisations, countries, chips and sources show: what is known of each, and its models."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from pipeline.present.site.entries import describe
from pipeline.present.site.entries.addresses import KINDS, Places, link
from pipeline.present.site.entries.read import Told
from pipeline.present.site.entries.words import Card, cited, day, exactly, flop, listed, number, plain
from traincompute.query.rows import Row

UNTOLD = ("hardware_id", "name", "reference_url", "source_id")
UNITS = ("flops", "ops", "bytes", "w", "nm", "mm2", "usd")
FORMAT = re.compile(r"\b(?:fp|tf|int)\d+|\bTdp\b")
LISTED = 50
VOWELS = "aeiou"
Grouped = Mapping[str, Sequence[Row]]


def grouped(told: Told) -> dict[str, Grouped]:
    """{kind: {id: the lines of its models}}, the largest median first, as the lines are."""
    found: dict[str, dict[str, list[Row]]] = {"organization": {}, "country": {}, "chip": {}}
    for key, line in told.models.items():
        chips = dict.fromkeys(told.chips.get(key, []))
        for kind, ids in (("organization", line["organizations"]), ("country", line["countries"]), ("chip", chips)):
            for one in ids or []:
                found[kind].setdefault(one, []).append(line)
    return {kind: dict(sorted(groups.items())) for kind, groups in found.items()}


def group_page(kind: str, key: str, lines: Sequence[Row], told: Told, places: Places) -> dict[str, Any]:
    """The values of the template group.html."""
    row = ROWS[kind](told, key)
    name = row.get("title") or row.get("name") or key
    cards = [*CARDS[kind](row, told, places), *([] if kind == "source" else _counts(lines))]
    word = KINDS[kind].one
    return {
        "kind": word,
        "name": name,
        "title": f"{name}: training compute of its models" if lines else name,
        "description": _description(word, name, lines, cards),
        "data": describe.of_group(kind, name, row),
        "cards": cards,
        "models": [_line(line, places) for line in lines[:LISTED]],
        "more": max(0, len(lines) - LISTED),
        "snapshots": [_snapshot(row) for row in told.snapshots.get(key if kind == "source" else "", [])],
    }


ROWS: Mapping[str, Callable[[Told, str], Row]] = {
    "organization": lambda told, key: told.organizations.get(key, {}),
    "country": lambda told, key: {},
    "chip": lambda told, key: told.hardware[key],
    "source": lambda told, key: told.sources[key],
}


def _organization(row: Row, told: Told, places: Places) -> Iterator[Card]:
    if row.get("parent"):
        yield "Part of", link(places, "organization", row["parent"])
    if parts := told.parts.get(row.get("organization", "")):
        yield "Parts", listed(link(places, "organization", name) for name in parts)
    if row.get("category"):
        yield "Kind", plain(row["category"])
    if row.get("country"):
        yield "Country", link(places, "country", row["country"])
    if row.get("aliases"):
        yield "Also called", ", ".join(row["aliases"])


def _country(row: Row, told: Told, places: Places) -> Iterator[Card]:
    return iter(())


def _chip(row: Row, told: Told, places: Places) -> Iterator[Card]:
    for column in told.meanings:
        value = row.get(column["name"])
        if value is not None and column["name"] not in UNTOLD:
            is_number, unit = isinstance(value, int | float), column["unit"]
            yield _titled(column["name"]), number(value, "" if unit == "1" else unit) if is_number else str(value)
    yield "Source", link(places, "source", row["source_id"])
    if row["reference_url"]:
        yield "Its data stand in", cited(row["reference_url"])


def _source(row: Row, told: Told, places: Places) -> Iterator[Card]:
    yield "Publisher", row["publisher"]
    yield "Licence", row["licence"]
    if row["url"]:
        yield "Address", cited(row["url"])
    if row["attribution"]:
        yield "Attribution", row["attribution"]
    if row["snapshot"]:
        yield "Newest snapshot", str(row["snapshot"])
    for name, count in told.claimed.get(row["source_id"], {}).items():
        if name != "source_id":
            yield {"selected": "Claims chosen"}.get(name, name.capitalize()), number(count)


CARDS: Mapping[str, Callable[[Row, Told, Places], Iterator[Card]]] = {
    "organization": _organization,
    "country": _country,
    "chip": _chip,
    "source": _source,
}


def _counts(lines: Sequence[Row]) -> list[Card]:
    valued = sum(line[describe.FLOP] is not None for line in lines)
    return [("Models", number(len(lines))), ("With training compute", number(valued))]


def _titled(column: str) -> str:
    """A column without its unit, which stands with the value: Peak tensor FP16."""
    words = column.split("_")
    title = " ".join(words[:-1] if words[-1] in UNITS else words).capitalize()
    return FORMAT.sub(lambda found: found[0].upper(), title)


def _snapshot(row: Row) -> str:
    counts = [f"{row[name]:,} {name}" for name in ("records", "facts") if row[name] is not None]
    return ", ".join([str(row["snapshot"]), *counts, *([f"sha256 {row['sha256'][:16]}"] if row["sha256"] else [])])


def _line(line: Row, places: Places) -> dict[str, Any]:
    """A row of the table of models."""
    low, median, high = (line.get(f"flop_{end}") for end in ("05", "50", "95"))
    return {
        "link": link(places, "model", line["model_id"], line["name"]),
        "day": day(line),
        "median": exactly(median, flop(median)) if median else "",
        "around": f"{flop(low)} – {flop(high)}" if low and high else "",
        "source": plain(line.get("training_compute_source") or "no value"),
    }


def _description(kind: str, name: str, lines: Sequence[Row], cards: Sequence[Card]) -> str:
    if not lines:
        told = ", ".join(f"{title.lower()} {Markup(value).striptags()}" for title, value in cards[:3])
        return f"{name}, {'an' if kind[0] in VOWELS else 'a'} {kind} in the dataset of training compute: {told}."
    largest = lines[0]
    size = f", the largest {largest['name']}" if largest.get("flop_50") else ""
    many = "1 model" if len(lines) == 1 else f"{len(lines):,} models"
    return f"{many} of the {kind} {name} with their training compute{size}: medians, intervals and who says so."
