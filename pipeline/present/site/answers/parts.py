"""The parts of the files of api/, as parts.yml declares them, read from the dataset: rows of tables, under their own
names."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, NotRequired

import duckdb

from pipeline.files import dict_of, load_yaml, mapping
from traincompute.query.columns import read_columns
from traincompute.query.rows import Row, holds, rows

FILE = Path(__file__).with_suffix(".yml")
PART = mapping(table=str, columns=list[list[str]], one=NotRequired[bool], where=NotRequired[str], order=str)
SHAPE = mapping(**{name: dict_of(PART) for name in ("model", "thresholds", "index")})
IS_VIEW = "select view_name from duckdb_views() where view_name = ?"


class Part(NamedTuple):
    """Rows of a table under one key of a file: their columns (as read_columns describes them), which rows, in which
    order, and whether they are the one row of the file's model."""

    key: str
    table: str
    columns: list[Row]
    where: str
    order: str
    one: bool

    def query(self, *first: str) -> str:
        """The query that gives the rows, without a limit to one model; `first` stands before the columns."""
        names = ", ".join([*first, *(f'"{column["name"]}"' for column in self.columns)])
        return f'select {names} from "{self.table}" where {self.where} order by {self.order}'


def read_parts(connection: duckdb.DuckDBPyConnection) -> dict[str, list[Part]]:
    """{file: its parts}, without the tables and columns that a dataset of an earlier version lacks."""
    declared = load_yaml(FILE, "pipeline/present/site/answers/parts.yml", SHAPE)
    return {
        name: [_part(connection, key, entry) for key, entry in parts.items() if holds(connection, entry["table"])]
        for name, parts in declared.items()
    }


def _part(connection: duckdb.DuckDBPyConnection, key: str, entry: dict[str, Any]) -> Part:
    is_view = bool(rows(connection, IS_VIEW, entry["table"]))
    known = {column["name"]: column for column in read_columns(connection, entry["table"], is_view)}
    columns = [known[name] for line in entry["columns"] for name in line if name in known]
    return Part(key, entry["table"], columns, entry.get("where", "true"), entry["order"], entry.get("one", False))


def rows_of(connection: duckdb.DuckDBPyConnection, part: Part) -> list[Row]:
    """The rows of a part, each without the members that have no value."""
    return [_held(row) for row in rows(connection, part.query())]


def rows_by_model(connection: duckdb.DuckDBPyConnection, part: Part) -> dict[str, list[Row]]:
    """model_id → its rows of the part."""
    found: dict[str, list[Row]] = {}
    for row in rows(connection, part.query("model_id as of_model")):
        found.setdefault(row.pop("of_model"), []).append(_held(row))
    return found


def _held(row: Row) -> Row:
    return {name: value for name, value in row.items() if value is not None}
