"""Writes tables, comments, views and macros into one DuckDB file."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from pyarrow import parquet

from pipeline.publish.statements import table_statements, view_statements
from pipeline.publish.views import create_views
from pipeline.registry.frames import arrow_schema
from pipeline.registry.schema import TableSchema
from pipeline.registry.views import View
from traincompute.base.places import DUCKDB_NAME, SQL_NAME
from traincompute.query.catalogue import list_tables

# Files of storage version 1.2.0 open in every client from 1.2 on and in the browser; those of 2.0's default do not
DUCKDB_STORAGE = "v1.2.0"
LEFT_IN_MEMORY = "16MB"  # of what has been written: DuckDB would keep all of it, in case it is read


def open_duckdb(
    path: Path,
    tables: Mapping[str, TableSchema],
    views: Sequence[View],
    empty: Path | None = None,
) -> duckdb.DuckDBPyConnection:
    """A new DuckDB file that every client from 1.2 on can read, with empty tables, views, macros and the comments on
    them. There are no primary keys: those were checked before, and their indexes would be two fifths of the file, for a
    look-up by key that takes 0.01 s less. For whoever makes several, `empty` is such a file (`empty_duckdb`): a copy of
    it takes a twentieth of the time."""
    if empty:
        shutil.copyfile(empty, path)
        return _connect(path)
    connection = _connect(path)
    connection.begin()  # one transaction for everything: a commit for each statement takes half as long again
    for table in tables.values():
        connection.execute(";\n".join(table_statements(table.name, arrow_schema(table))))
    create_views(connection, views, tables)
    connection.commit()
    return connection


def empty_duckdb(path: Path, tables: Mapping[str, TableSchema], views: Sequence[View]) -> Path:
    """Writes the file that `open_duckdb` begins with, complete on disk. Raises OSError if the disk does not allow
    it."""
    with disk_errors(), open_duckdb(path, tables, views) as connection:
        connection.execute("CHECKPOINT")  # closing would too, but hide that it failed
    return path


@contextmanager
def disk_errors() -> Iterator[None]:
    """Raises OSError where DuckDB could not write its file, which it reports with errors of its own."""
    try:
        yield
    except (duckdb.IOException, duckdb.FatalException, duckdb.TransactionException) as error:
        raise OSError(str(error).splitlines()[-1]) from error


def _connect(path: Path) -> duckdb.DuckDBPyConnection:
    config: dict[str, str | bool | int | float | list[str]] = {
        "storage_compatibility_version": DUCKDB_STORAGE,
        "threads": "1",
    }
    connection = duckdb.connect(str(path), config=config)
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET disabled_compression_methods = 'fsst'")  # a third of the time for a sixth of the size
    return connection


def insert_table(
    connection: duckdb.DuckDBPyConnection, data: pa.Table | Path, name: str, memory: str | None = None
) -> None:
    """Fills a table, from Arrow or from a Parquet file, with at most that much memory, and keeps nothing of it
    there."""
    if memory:
        connection.execute(f"SET memory_limit = '{memory}'")
    incoming = connection.read_parquet(str(data)) if isinstance(data, Path) else connection.from_arrow(data)
    incoming.insert_into(f'"{name}"')
    connection.execute("CHECKPOINT")  # compresses now, while other tables are being made
    with suppress(duckdb.OutOfMemoryException):  # no more can be let go of
        connection.execute(f"SET memory_limit = '{LEFT_IN_MEMORY}'")
    connection.execute("RESET memory_limit")


def close_duckdb(connection: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Completes and closes the file; returns what it contains, as `traincompute tables` lists it."""
    with connection:
        connection.execute("CHECKPOINT")
        return list_tables(connection)


def write_statements(folder: Path, tables: Iterable[str]) -> None:
    """Writes, beside the closed DuckDB file, the statements that define what is in it."""
    schemas = {name: parquet.read_schema(folder / f"{name}.parquet") for name in sorted(tables)}
    of_tables = [statement for name, schema in schemas.items() for statement in table_statements(name, schema)]
    with duckdb.connect(str(folder / DUCKDB_NAME), read_only=True) as connection:
        text = "".join(f"{statement};\n" for statement in of_tables + view_statements(connection))
    (folder / SQL_NAME).write_text(text, encoding="utf-8")
