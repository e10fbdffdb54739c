"""`traincompute tables`: what can be asked, read from the catalogue of the DuckDB file.

Without a name all tables with their rows; with one its columns: type, unit, meaning, how often filled, an example.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import duckdb

from traincompute.show.rows import exact

Entry = dict[str, Any]

CATALOGUE = """
select table_name as name, comment as description, false as is_view, column_count from duckdb_tables()
union all
select view_name, comment, true, column_count from duckdb_views() where not internal
order by name"""
COLUMNS = """
select column_name as name, data_type as type, comment from duckdb_columns()
where table_name = $table and not internal order by column_index"""
UNIT = re.compile(r" \[([^\]]+)\]$")
DERIVED = ". Derived: "


def list_tables(connection: duckdb.DuckDBPyConnection) -> list[Entry]:
    """One entry per table and view: table, rows (of a view null: it would have to be run), columns (number), description."""
    entries = []
    for name, description, is_view, columns in connection.cursor().execute(CATALOGUE).fetchall():
        rows = None if is_view else _count(connection, name)
        entry = {"table": name, "rows": rows, "columns": columns, "description": description or ""}
        entries.append(entry | ({"view": True} if is_view else {}))
    return entries


def _count(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    (rows,) = connection.cursor().execute(f"select count(*) from {_quoted(table)}").fetchone() or (0,)
    return int(rows)


def describe_table(connection: duckdb.DuckDBPyConnection, entry: Entry) -> Entry:
    """table, rows, description, and per column: name, type, unit, meaning, derived (formula), fill_rate, example.

    The fill rate is the share of rows that are not null, or null in a table without rows. The examples are those of
    the fullest row; where that has none, the first that there is."""
    table = entry["table"]
    entry = {**entry, "rows": _count(connection, table)}
    found = connection.cursor().execute(COLUMNS, {"table": table}).fetchall()
    filled, examples = _filled(connection, table, [name for name, *_ in found])
    columns = []
    for (name, kind, comment), count, example in zip(found, filled, examples, strict=True):
        about, _, derived = (comment or "").partition(DERIVED)
        unit = UNIT.search(about)
        columns.append(
            {
                "name": name,
                "type": kind,
                "unit": unit[1] if unit else None,
                "meaning": UNIT.sub("", about),
                "derived": derived or None,
                "fill_rate": round(count / entry["rows"], 4) if entry["rows"] else None,
                "example": example,
            }
        )
    return {**entry, "columns": columns}


def _filled(
    connection: duckdb.DuckDBPyConnection, table: str, names: Sequence[str]
) -> tuple[Sequence[int], list[str | None]]:
    """How many values each column has, and one of them as text."""
    quoted = [_quoted(name) for name in names]
    counts = ", ".join(f"count({name})" for name in quoted)
    first = ", ".join(f"any_value({name})" for name in quoted)
    cells = " + ".join(f"({name} is not null)::int" for name in quoted)
    source = _quoted(table)
    counted = connection.cursor().execute(f"select {counts} from {source}").fetchone() or ()
    anything = connection.cursor().execute(f"select {first} from {source}").fetchone() or ()
    fullest = f"select * from {source} order by {cells} desc, {quoted[0]} limit 1"
    full = connection.cursor().execute(fullest).fetchone() or anything
    values = (spare if value is None else value for value, spare in zip(full, anything, strict=True))
    return counted, [None if value is None else exact(value) for value in values]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
