"""What can be asked: the tables and views of a dataset with their rows, and the columns of one with type, unit,
meaning, share of rows filled and an example."""

from __future__ import annotations

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
        rows = None if is_view else _first(connection, f'select count(*) from "{name}"')[0]
        entry = {"table": name, "rows": rows, "columns": columns, "description": description or ""}
        entries.append(entry | ({"view": True} if is_view else {}))
    return entries


def describe_table(connection: duckdb.DuckDBPyConnection, entry: Entry) -> Entry:
    """table, rows, description, and per column: name, type, unit, meaning, derived (formula), fill_rate, example.

    The fill rate is the share of rows that are not null, or null in a table without rows. The examples are those of
    the fullest row; where that has none, the first that there is."""
    described = read_columns(connection, entry["table"], is_view=entry.get("view", False))
    source, names = f'"{entry["table"]}"', [f'"{column["name"]}"' for column in described]
    rows, *counts = _first(
        connection, f"select count(*), {', '.join(f'count({name})' for name in names)} from {source}"
    )
    anything = _first(connection, f"select {', '.join(f'any_value({name})' for name in names)} from {source}")
    filled = " + ".join(f"({name} is not null)::int" for name in names)
    fullest = f"select * from {source} order by {filled} desc, {names[0]} limit 1"
    full = _first(connection, fullest) if rows else anything
    columns = [
        {
            **{key: column[key] for key in ("name", "type", "unit")},
            "meaning": column["description"],
            "derived": column["derived"],
            "fill_rate": round(count / rows, 4) if rows else None,
            "example": None if value is None and spare is None else exact(spare if value is None else value),
        }
        for column, count, value, spare in zip(described, counts, full, anything, strict=True)
    ]
    return {**entry, "rows": rows, "columns": columns}


def _first(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[Any, ...]:
    """The first row."""
    [row] = connection.execute(query).fetchall()
    return row
