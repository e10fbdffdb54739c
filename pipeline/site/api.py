"""Writes api/: a JSON file for every model, the thresholds, an index, their JSON schemas, and a feed of changes.

The members of a file are columns of the dataset under their own names, and its numbers are cells to the last digit.
Which columns is declared in api.yml."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple, NotRequired
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree

import duckdb

from pipeline.files import dict_of, load_yaml, mapping
from pipeline.site.site import LICENCE, Site
from traincompute.query.columns import read_columns
from traincompute.query.rows import Row, holds, rows
from traincompute.show.values import human, short_power

Schema = dict[str, Any]

PART = mapping(table=str, columns=list[list[str]], one=NotRequired[bool], where=NotRequired[str], order=str)
SHAPE = mapping(**{name: dict_of(PART) for name in ("model", "thresholds", "index")})
VIEWS = "select view_name from duckdb_views() where not internal"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
TITLES = {"model": "A model", "thresholds": "Runs above thresholds of compute", "index": "All models"}
TEXT = {"type": "string"}
TYPES = {
    "BOOLEAN": {"type": "boolean"},
    "BIGINT": {"type": "integer"},
    "DOUBLE": {"type": "number"},
    "DATE": {"type": "string", "format": "date"},
}
HEAD = {
    "version": {**TEXT, "description": "Version of the dataset"},
    "facts_until": {**TEXT, "format": "date", "description": "Day that its facts reach to"},
}
RULE = {"type": "object", "properties": {"flop": {"type": "number"}, "label": TEXT, "source": TEXT}}
BESIDE: dict[str, Schema] = {
    "model": {},
    "thresholds": {"rules": {"type": "array", "description": "Rules that name a threshold", "items": RULE}},
    "index": {name: {"type": ["string", "null"]} for name in ("licence", "citation")},
}
ENTRIES = 100
CHANGES = """
select r.*, m.name, m.model_id is not null as has_page from revisions r left join models m using (model_id)
where field = 'training_compute_flop' or kind in ('record_added', 'record_removed')
order by to_snapshot desc, coalesce(m.is_notable, false) desc, model_id, revision_id"""
SAID = {
    "record_added": "added to {source_id}",
    "record_removed": "removed from {source_id}",
    "filled": "{source_id} gives a training compute: {new}",
    "blanked": "{source_id} no longer gives a training compute; before, {old}",
    "value_changed": "{source_id} changed the training compute from {old} to {new}",
}


class Part(NamedTuple):
    """Rows of a table under one key of a file: their columns (as read_columns describes them), which rows, in which
    order, and whether it is the one row of the file's model."""

    key: str
    table: str
    columns: list[Row]
    where: str
    order: str
    one: bool

    def read(self, connection: duckdb.DuckDBPyConnection, first: str = "") -> Iterator[Row]:
        """The rows, each without the members that have no value; `first` stands before the columns."""
        names = ", ".join(f'"{column["name"]}"' for column in self.columns)
        query = f'select {first}{names} from "{self.table}" where {self.where} order by {self.order}'
        for row in rows(connection, query):
            yield {name: value for name, value in row.items() if value is not None}


def write_api(site: Site) -> None:
    """api/models/ID.json, thresholds.json, index.json, schema/*.json and changes.atom."""
    parts = read_parts(site.connection)
    head = {"version": site.version, "facts_until": site.as_of}
    for model, answer in _answers(site, parts["model"]):
        site.write(f"api/models/{model}.json", _json(head | answer))
    beside: dict[str, Row] = {
        "thresholds": {"rules": site.thresholds},
        "index": {"licence": LICENCE, "citation": site.citation},
    }
    for name, about in beside.items():
        held = {part.key: list(part.read(site.connection)) for part in parts[name]}
        site.write(f"api/{name}.json", _json({**head, **about, **held}))
    for name, own in parts.items():
        site.write(f"api/schema/{name}.json", _json(_schema(TITLES[name], own, BESIDE[name])))
    site.write("api/changes.atom", feed(site))


def read_parts(connection: duckdb.DuckDBPyConnection) -> dict[str, list[Part]]:
    """{file: its parts} of api.yml, without the tables and columns that a dataset of an earlier version lacks."""
    declared = load_yaml(Path(__file__).with_suffix(".yml"), "pipeline/site/api.yml", SHAPE)
    views = {name for (name,) in connection.execute(VIEWS).fetchall()}
    return {
        name: [
            _part(connection, key, entry, views) for key, entry in parts.items() if holds(connection, entry["table"])
        ]
        for name, parts in declared.items()
    }


def _part(connection: duckdb.DuckDBPyConnection, key: str, entry: dict[str, Any], views: set[str]) -> Part:
    table = entry["table"]
    known = {column["name"]: column for column in read_columns(connection, table, table in views)}
    columns = [known[name] for line in entry["columns"] for name in line if name in known]
    return Part(key, table, columns, entry.get("where", "true"), entry["order"], entry.get("one", False))


def _answers(site: Site, parts: Sequence[Part]) -> Iterator[tuple[str, Row]]:
    """model_id and what its file holds besides version and day."""
    found: dict[str, dict[str, list[Row]]] = {}
    for part in parts:
        by_model = found[part.key] = {}
        for row in part.read(site.connection, "model_id as of_model, "):
            by_model.setdefault(row.pop("of_model"), []).append(row)
    for model in site.paths["model"]:
        held = {part.key: found[part.key].get(model, []) for part in parts}
        yield model, {part.key: (held[part.key] or [{}])[0] if part.one else held[part.key] for part in parts}


def _json(content: Any) -> str:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=date.isoformat)
    return f"{text}\n"


def _schema(title: str, parts: Sequence[Part], beside: Schema) -> Schema:
    """The schema of a file with these parts and the members `beside` them (name → schema), all of which it has."""
    members = HEAD | beside | {part.key: _part_schema(part) for part in parts}
    return {"$schema": DIALECT, "title": title, **_object(members, members)}


def _part_schema(part: Part) -> Schema:
    row = _object({column["name"]: _column_schema(part.table, column) for column in part.columns}, ())
    which = " of the model" if part.one else f" where {part.where}" if part.where != "true" else ""
    about = f"{'Row' if part.one else 'Rows'} of `{part.table}`{which}"
    return {"description": about, **(row if part.one else {"type": "array", "items": row})}


def _column_schema(table: str, column: Row) -> Schema:
    """Type, meaning and unit, and the column that it is in SQL."""
    kind = column["type"]
    items = {"type": "array", "items": TEXT} if kind.endswith("[]") else TYPES.get(kind, TEXT)
    told = {"description": column["description"], "unit": column["unit"]}
    return items | {name: text for name, text in told.items() if text} | {"sql": f"{table}.{column['name']}"}


def _object(members: Schema, required: Iterable[str]) -> Schema:
    held = {"type": "object", "properties": members, "additionalProperties": False}
    return held | ({"required": sorted(required)} if required else {})


def feed(site: Site) -> bytes:
    """The last changes that sources made, in Atom (RFC 4287), one entry for what a snapshot did to a model; its links
    are relative where nobody has said where the site will stand."""
    found = rows(site.connection, CHANGES)
    newest = str(found[0]["to_snapshot"]) if found else "1970-01-01"
    root = ElementTree.Element("feed", xmlns="http://www.w3.org/2005/Atom")
    own = f"{site.address}api/changes.atom"
    _describe(root, "Changes in training compute", own, newest)
    ElementTree.SubElement(root, "link", rel="self", href=own if site.address else "changes.atom")
    ElementTree.SubElement(ElementTree.SubElement(root, "author"), "name").text = "traincompute"
    for (day, _), changes in islice(groupby(found, lambda row: (str(row["to_snapshot"]), row["model_id"])), ENTRIES):
        root.append(_entry(list(changes), day, site))
    ElementTree.indent(root, "")
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _entry(changes: Sequence[Row], day: str, site: Site) -> ElementTree.Element:
    """What one snapshot changed about a model."""
    first = changes[0]
    said = "; ".join(dict.fromkeys(map(_said, changes)))
    entry = ElementTree.Element("entry")
    _describe(entry, f"{first['name'] or first['record'] or first['model_id']}: {said}", first["revision_id"], day)
    if first["has_page"]:
        page = site.paths["model"][first["model_id"]]
        ElementTree.SubElement(entry, "link", href=f"{site.address or '../'}{page}")
    ElementTree.SubElement(entry, "content", type="text").text = f"{said} ({day})"
    return entry


def _describe(element: ElementTree.Element, title: str, key: str, day: str) -> None:
    """Title, id and day, which a feed and an entry must have; the id is the same in every edition."""
    ElementTree.SubElement(element, "title").text = title
    ElementTree.SubElement(element, "id").text = uuid5(NAMESPACE_URL, f"traincompute:{key}").urn
    ElementTree.SubElement(element, "updated").text = f"{day}T00:00:00Z"


def _said(row: Row) -> str:
    values = {age: short_power(human(row[f"{age}_value"], row["unit"])) for age in ("old", "new")}
    return SAID[row["kind"]].format(source_id=row["source_id"], **values)
