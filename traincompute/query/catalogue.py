"""What can be asked: the tables and views of a dataset with their rows, and the columns of one with type, unit,
meaning, share of rows filled and an example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb

from traincompute.query.columns import read_columns
from traincompute.show.values import exact

Entry = dict[str, Any]

CATALOGUE = """
select table_name as name, comment as description, false as is_view, column_count from duckdb_tables()
union all
select view_name, comment, true, column_count from duckdb_views() where not internal
order by name"""


def list_tables(connection: duckdb.DuckDBPyConnection) -> list[Entry]:
    """One entry per table and view: table, rows (of a view null: it would have to be run), columns (number),
    description."""
    entries = []
    for name, description, is_view, columns in connection.execute(CATALOGUE).fetchall():
        rows = None if is_view else _count(connection, name)
        entry = {"table": name, "rows": rows, "columns": columns, "description": description or ""}
        entries.append(entry | ({"view": True} if is_view else {}))
    return entries


def _count(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    (rows,) = connection.execute(f"select count(*) from {_quoted(table)}").fetchone() or (0,)
    return int(rows)


def describe_table(connection: duckdb.DuckDBPyConnection, entry: Entry) -> Entry:
    """table, rows, description, and per column: name, type, unit, meaning, derived (formula), fill_rate, example.

    The fill rate is the share of rows that are not null, or null in a table without rows. The examples are those of
    the fullest row; where that has none, the first that there is."""
    table = entry["table"]
    entry = {**entry, "rows": _count(connection, table)}
    found = read_columns(connection, table, is_view=entry.get("view", False))
    filled, examples = _filled(connection, table, [column["name"] for column in found])
    columns = [
        {
            **{key: column[key] for key in ("name", "type", "unit")},
            "meaning": column["description"],
            "derived": column["derived"],
            "fill_rate": round(count / entry["rows"], 4) if entry["rows"] else None,
            "example": example,
        }
        for column, count, example in zip(found, filled, examples, strict=True)
    ]
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
    counted = connection.execute(f"select {counts} from {source}").fetchone() or ()
    anything = connection.execute(f"select {first} from {source}").fetchone() or ()
    fullest = f"select * from {source} order by {cells} desc, {quoted[0]} limit 1"
    full = connection.execute(fullest).fetchone() or anything
    values = (spare if value is None else value for value, spare in zip(full, anything, strict=True))
    return counted, [None if value is None else exact(value) for value in values]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
