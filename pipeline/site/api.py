"""Writes api/: a JSON file for every model, the thresholds, an index, and their JSON schemas.

The members of a file are columns of the dataset under their own names, and its numbers are cells to the last digit.
Which columns is declared in api.yml."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple, NotRequired

import duckdb

from pipeline.files import dict_of, load_yaml, mapping
from pipeline.site.site import LICENCE, Site
from traincompute.database import Row, rows
from traincompute.query.run import read_columns

Schema = dict[str, Any]

PART = mapping(table=str, columns=list[list[str]], one=NotRequired[bool], where=NotRequired[str], order=str)
FILE = mapping(title=str, beside=dict[str, Any], parts=dict_of(PART))
SHAPE = mapping(model=FILE, thresholds=FILE, index=FILE)
DIALECT = "https://json-schema.org/draft/2020-12/schema"
TEXT = {"type": "string"}
TYPES: dict[str, Schema] = {
    "BOOLEAN": {"type": "boolean"},
    "BIGINT": {"type": "integer"},
    "DOUBLE": {"type": "number"},
    "DATE": {"type": "string", "format": "date"},
    "VARCHAR[]": {"type": "array", "items": TEXT},
}
HEAD = {
    "version": {**TEXT, "description": "Version of the dataset"},
    "facts_until": {**TEXT, "format": "date", "description": "Date of the newest data"},
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

    def schema(self) -> Schema:
        """Type, meaning and unit of each member, and the column that it is in SQL."""
        members: Schema = {}
        for column in self.columns:
            told: Schema = {name: column[name] for name in ("description", "unit") if column[name]}
            members[column["name"]] = TYPES.get(column["type"], TEXT) | told | {"sql": f"{self.table}.{column['name']}"}
        row: Schema = {"type": "object", "properties": members, "additionalProperties": False}
        which = " of this model" if self.one else f" where {self.where}" if self.where != "true" else ""
        about = {"description": f"{'Row' if self.one else 'Rows'} of `{self.table}`{which}"}
        return about | (row if self.one else {"type": "array", "items": row})


def write_api(site: Site) -> None:
    """api/models/ID.json, thresholds.json, index.json and schema/*.json."""
    declared = load_yaml(Path(__file__).with_suffix(".yml"), "pipeline/site/api.yml", SHAPE)
    parts = {name: read_parts(site.connection, file["parts"]) for name, file in declared.items()}
    head = {"version": site.version, "facts_until": site.as_of}
    beside: dict[str, Row] = {
        "thresholds": {"rules": site.thresholds},
        "index": {"licence": LICENCE, "citation": site.citation},
    }
    for name, about in beside.items():
        held = {part.key: list(part.read(site.connection)) for part in parts[name]}
        site.write(f"api/{name}.json", _json({**head, **about, **held}))
    for name, own in parts.items():
        members = HEAD | declared[name]["beside"] | {part.key: part.schema() for part in own}
        schema = {"$schema": DIALECT, "title": declared[name]["title"], "type": "object", "properties": members}
        site.write(
            f"api/schema/{name}.json", _json(schema | {"additionalProperties": False, "required": sorted(members)})
        )
    answers: dict[str, Row] = {
        model: {part.key: {} if part.one else [] for part in parts["model"]} for model in site.paths["model"]
    }
    for part in parts["model"]:
        for row in part.read(site.connection, "model_id as of_model, "):
            answer = answers.get(row.pop("of_model"))
            if answer and part.one:
                answer[part.key] = row
            elif answer:
                answer[part.key].append(row)
    for model, answer in answers.items():
        site.write(f"api/models/{model}.json", _json(head | answer))


def read_parts(connection: duckdb.DuckDBPyConnection, declared: dict[str, Any]) -> list[Part]:
    """The parts of a file of api.yml, without the tables and columns that a dataset of an earlier version lacks."""
    found = []
    for key, entry in declared.items():
        table = entry["table"]
        if known := {column["name"]: column for column in read_columns(connection, table)}:
            columns = [known[name] for line in entry["columns"] for name in line if name in known]
            found.append(Part(key, table, columns, entry.get("where", "true"), entry["order"], entry.get("one", False)))
    return found


def _json(content: Any) -> str:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=date.isoformat)
    return f"{text}\n"
