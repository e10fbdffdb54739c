"""The feed of what sources changed: models that they added or took away, and training compute that they changed.

An entry is what one snapshot did to one model; the newest first."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree

import duckdb

from traincompute.query.rows import Row, holds, rows
from traincompute.show.values import human, short_power

ATOM = "http://www.w3.org/2005/Atom"
ENTRIES = 100
AUTHOR = "traincompute"
CHANGES = """
select r.*, m.name, m.model_id is not null as has_page from revisions r left join models m using (model_id)
where field = 'training_compute_flop' or kind in ('record_added', 'record_removed')
order by to_snapshot desc, coalesce(m.is_notable, false) desc, model_id, revision_id"""
SAID = {
    "record_added": "{source_id} added the model",
    "record_removed": "{source_id} has the model no more",
    "filled": "{source_id} gives a training compute: {new}",
    "blanked": "{source_id} no longer gives a training compute; before, {old}",
    "value_changed": "{source_id} changed the training compute from {old} to {new}",
}


def feed(connection: duckdb.DuckDBPyConnection, address: str) -> bytes:
    """The feed in Atom (RFC 4287), its links below `address`, or relative to it where that is empty."""
    found = rows(connection, CHANGES) if holds(connection, "revisions") else []
    groups = [list(rows) for _, rows in groupby(found, key=lambda row: (row["to_snapshot"], row["model_id"]))]
    root = ElementTree.Element("feed", xmlns=ATOM)
    _tell(root, "Changes in training compute", f"{address}api/changes.atom", _day(found[0]) if found else "1970-01-01")
    ElementTree.SubElement(root, "link", rel="self", href=f"{address}api/changes.atom" if address else "changes.atom")
    ElementTree.SubElement(ElementTree.SubElement(root, "author"), "name").text = AUTHOR
    for changes in groups[:ENTRIES]:
        root.append(_entry(changes, f"{address}models/" if address else "../models/"))
    ElementTree.indent(root, "")
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _entry(changes: Sequence[Row], pages: str) -> ElementTree.Element:
    first = changes[0]
    said = "; ".join(dict.fromkeys(_said(row) for row in changes))
    name = first["name"] or first["record"] or first["model_id"]
    entry = ElementTree.Element("entry")
    _tell(entry, f"{name}: {said}", first["revision_id"], _day(first))
    if first["has_page"]:
        ElementTree.SubElement(entry, "link", href=f"{pages}{first['model_id']}.html")
    ElementTree.SubElement(entry, "content", type="text").text = said + f" ({_day(first)})"
    return entry


def _tell(element: ElementTree.Element, title: str, key: str, day: str) -> None:
    """Title, id and day, which a feed and an entry must have; the id is the same in every edition."""
    ElementTree.SubElement(element, "title").text = title
    ElementTree.SubElement(element, "id").text = uuid5(NAMESPACE_URL, f"traincompute:{key}").urn
    ElementTree.SubElement(element, "updated").text = f"{day}T00:00:00Z"


def _day(row: Row) -> str:
    return str(row["to_snapshot"])


def _said(row: Row) -> str:
    values = {age: short_power(human(row[f"{age}_value"], row["unit"])) for age in ("old", "new")}
    return SAID[row["kind"]].format(source_id=row["source_id"], **values)
