"""The content hash of a table in a DuckDB file."""

from __future__ import annotations

import duckdb

from pipeline.frames import empty_frame, to_arrow
from pipeline.schema import TableSchema
from traincompute.query.rendering import flatten, write_csv


def duckdb_content(connection: duckdb.DuckDBPyConnection, table: TableSchema) -> str:
    key = ", ".join(f'"{name}"' for name in table.primary_key)
    connection.execute("select 1").fetchall()  # ends what another test has left unread
    data = connection.sql(f'SELECT * FROM "{table.name}" ORDER BY {key}').to_arrow_table()
    return write_csv(flatten(data.cast(to_arrow(empty_frame(table), table).schema)))
