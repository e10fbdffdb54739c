"""JSON schemas of the files of api/, made from what the dataset says of the columns that they hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pipeline.present.site.answers.parts import Part
from traincompute.query.rows import Row

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TYPES = {
    "BOOLEAN": {"type": "boolean"},
    "BIGINT": {"type": "integer"},
    "DOUBLE": {"type": "number"},
    "DATE": {"type": "string", "format": "date"},
}
TEXT = {"type": "string"}
VERSION = {**TEXT, "description": "Version of the dataset"}
FACTS_UNTIL = {**TEXT, "format": "date", "description": "Day that its facts reach to"}
HEAD = {"version": VERSION, "facts_until": FACTS_UNTIL}


def schema_of(title: str, parts: Sequence[Part], beside: Schema) -> Schema:
    """The schema of a file with these parts, and with the members `beside` them (name → schema), all of which it
    has."""
    members = HEAD | beside | {part.key: _part(part) for part in parts}
    return {"$schema": DIALECT, "title": title, **_object(members, members)}


def _part(part: Part) -> Schema:
    row = _object({column["name"]: _column(part.table, column) for column in part.columns}, ())
    which = " of the model" if part.one else f" where {part.where}" if part.where != "true" else ""
    about = f"{'Row' if part.one else 'Rows'} of `{part.table}`{which}"
    return {"description": about, **(row if part.one else {"type": "array", "items": row})}


def _column(table: str, column: Row) -> Schema:
    """Type, meaning and unit, and the column that it is in SQL."""
    kind = column["type"]
    items = {"type": "array", "items": TEXT} if kind.endswith("[]") else TYPES.get(kind, TEXT)
    told = {"description": column["description"], "unit": column["unit"]}
    return items | {name: text for name, text in told.items() if text} | {"sql": f"{table}.{column['name']}"}


def _object(members: Schema, required: Iterable[str]) -> Schema:
    held = {"type": "object", "properties": members, "additionalProperties": False}
    return held | ({"required": sorted(required)} if required else {})
