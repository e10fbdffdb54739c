"""The rows of a short query of our own, as dictionaries."""

from __future__ import annotations

from typing import Any

from traincompute.base.engine import duckdb

Row = dict[str, Any]


def rows(connection: duckdb.DuckDBPyConnection, query: str, *values: Any, **named: Any) -> list[Row]:
    """The rows of a query as dictionaries; its parameters in order, or by name."""
    cursor = connection.execute(query, named or list(values))
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def rows_if_held(connection: duckdb.DuckDBPyConnection, name: str, query: str, *values: Any) -> list[Row]:
    """The rows of a query on a table or view; none where the dataset was made before that was introduced."""
    try:
        return rows(connection, query, *values)
    except duckdb.CatalogException as error:
        if f"Table with name {name} does not exist" in str(error):
            return []
        raise


def holds(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Whether the dataset has a table or view of that name; to ask DuckDB's catalogue takes ten times as long."""
    return bool(rows_if_held(connection, name, f'select 1 from (select 1) left join (from "{name}" limit 0) on true'))
