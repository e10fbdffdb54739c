"""Writes tables, comments, views and macros into one DuckDB file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from pipeline.publish.views import create_views
from pipeline.registry.frames import arrow_schema
from pipeline.registry.schema import TYPES, TableSchema
from pipeline.registry.views import View
from traincompute.query.catalogue import list_tables
from traincompute.releases.rendering import flatten, write_csv

# Files of storage version 1.2.0 open in every client from 1.2 on and in the browser; those of 2.0's default do not
DUCKDB_STORAGE = "v1.2.0"


def open_duckdb(path: Path, tables: Mapping[str, TableSchema], views: Sequence[View]) -> duckdb.DuckDBPyConnection:
    """A new DuckDB file that every client from 1.2 on can read, with empty tables, views, macros and the comments on
    them."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "storage_compatibility_version": DUCKDB_STORAGE,
        "threads": "1",
    }
    connection = duckdb.connect(str(path), config=config)
    connection.execute("SET disabled_compression_methods = 'fsst'")  # a third of the time for a sixth of the size
    connection.begin()  # one transaction for everything: a commit for each statement takes half as long again
    for table in tables.values():
        connection.execute(";\n".join(create_table(table)))
    create_views(connection, views, tables)
    connection.commit()
    return connection


def insert_table(connection: duckdb.DuckDBPyConnection, data: pa.Table | pa.RecordBatchReader, name: str) -> None:
    """Fills a table."""
    connection.register("incoming", data)
    connection.execute(f'INSERT INTO "{name}" SELECT * FROM incoming')
    connection.unregister("incoming")
    connection.execute("CHECKPOINT")  # compresses now, while other tables are being made


def close_duckdb(connection: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Completes and closes the file; returns what it contains, as `traincompute tables` lists it."""
    with connection:
        connection.execute("CHECKPOINT")
        return list_tables(connection)


def duckdb_content(connection: duckdb.DuckDBPyConnection, table: TableSchema) -> str:
    """The content hash of a table in a DuckDB file, comparable with `content_sha256` of the manifest."""
    key = ", ".join(f'"{name}"' for name in table.primary_key)
    data: Any = connection.cursor().sql(f'SELECT * FROM "{table.name}" ORDER BY {key}').to_arrow_table()
    return write_csv(flatten(data.cast(arrow_schema(table))))


def create_table(table: TableSchema) -> list[str]:
    """The DuckDB statements that create the table with its types, and a comment on it and on every column.

    It has no primary key: that was checked before, and the indexes of all keys would be two fifths of the file, for a
    look-up by key that takes 0.01 s less."""
    columns = [f'"{c.name}" {TYPES[c.type][2]}' + (" NOT NULL" if c.required else "") for c in table.columns]
    return [
        f'CREATE TABLE "{table.name}" ({", ".join(columns)})',
        f'COMMENT ON TABLE "{table.name}" IS {_quote(table.title + ". " + table.description)}',
        *(f'COMMENT ON COLUMN "{table.name}"."{c.name}" IS {_quote(c.comment)}' for c in table.columns),
    ]


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
