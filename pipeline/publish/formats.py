"""The formats of the published tables: Parquet and CSV files of each, and one DuckDB file of all with the SQL of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from pyarrow import parquet

from pipeline.errors import DataError
from pipeline.schema import TableSchema, View
from traincompute.base.disk import file_sha256
from traincompute.base.places import DUCKDB_NAME, SQL_NAME
from traincompute.query.rendering import escape_formulas, flatten, in_csv_order, write_csv

ZSTD_LEVEL = 6  # a fifteenth smaller than with the default, for 30 ms in a thread that has time to spare
# Files of storage version 1.2.0 open in every client from 1.2 on and in the browser; those of 2.0's default do not
DUCKDB_STORAGE = "v1.2.0"
LEFT_IN_MEMORY = "16MB"  # of what has been written: DuckDB would keep all of it, in case it is read
DUCKDB_TYPES = {"string": "VARCHAR", "number": "DOUBLE", "integer": "BIGINT", "list": "VARCHAR[]"}  # others alike


def write_files(name: str, data: pa.Table, folder: Path) -> dict[str, Any]:
    """Writes a table as Parquet and CSV; returns its entry in the manifest: rows, columns, the digest of the contents,
    and bytes and SHA-256 of each file.

    The digest is that of a CSV in the order of the key, whose texts are not kept from being run as formulas."""
    files = folder / f"{name}.parquet", folder / f"{name}.csv"
    parquet.write_table(data, files[0], compression="zstd", compression_level=ZSTD_LEVEL)
    flat = flatten(data)
    shown = escape_formulas(in_csv_order(name, flat))
    with files[1].open("wb") as text:
        digest = write_csv(shown, text.write)
    return {
        "rows": data.num_rows,
        "columns": data.num_columns,
        "content_sha256": digest if shown is flat else write_csv(flat),
        "files": {file.name: {"bytes": file.stat().st_size, "sha256": file_sha256(file)} for file in files},
    }


@contextmanager
def disk_errors() -> Iterator[None]:
    """Raises OSError where DuckDB could not write its file, which it reports with errors of its own."""
    try:
        yield
    except (duckdb.IOException, duckdb.FatalException, duckdb.TransactionException) as error:
        raise OSError(str(error).splitlines()[-1]) from error


def create_duckdb(folder: Path, tables: Mapping[str, TableSchema], views: Sequence[View]) -> duckdb.DuckDBPyConnection:
    """A new traincompute.duckdb that every client from 1.2 on can read, with empty tables, views and macros, and beside
    it the SQL that makes them. There are no primary keys: they were checked before, and their indexes would be two
    fifths of the file. Raises DataError for a view that cannot be made or does not explain itself."""
    settings: dict[str, Any] = {"storage_compatibility_version": DUCKDB_STORAGE, "threads": "1"}
    connection = duckdb.connect(str(folder / DUCKDB_NAME), config=settings)
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET disabled_compression_methods = 'fsst'")  # a third of the time for a sixth of the size
    connection.begin()  # one transaction for everything: a commit for each statement takes half as long again
    statements = [statement for table in tables.values() for statement in table_statements(table)]
    connection.execute(";\n".join(statements) or "SELECT 1")
    statements += create_views(connection, views, tables)
    connection.commit()
    (folder / SQL_NAME).write_text("".join(f"{statement};\n" for statement in statements), encoding="utf-8")
    return connection


def insert_table(connection: duckdb.DuckDBPyConnection, data: pa.Table, name: str) -> None:
    """Fills a table and lets go of its contents in memory."""
    connection.from_arrow(data).insert_into(f'"{name}"')
    connection.execute("CHECKPOINT")  # compresses now, while other tables are being made
    with suppress(duckdb.OutOfMemoryException):  # no more can be let go of
        connection.execute(f"SET memory_limit = '{LEFT_IN_MEMORY}'")
    connection.execute("RESET memory_limit")


def table_statements(table: TableSchema) -> list[str]:
    """The statements that create a table with its columns, and the comments on them."""
    columns = [
        f'"{c.name}" {DUCKDB_TYPES.get(c.type, c.type.upper())}{" NOT NULL" * c.required}' for c in table.columns
    ]
    return [
        f'CREATE TABLE "{table.name}" ({", ".join(columns)})',
        f'COMMENT ON TABLE "{table.name}" IS {_quote(f"{table.title}. {table.description}")}',
        *(f'COMMENT ON COLUMN "{table.name}"."{c.name}" IS {_quote(c.comment)}' for c in table.columns),
    ]


def create_views(
    connection: duckdb.DuckDBPyConnection, views: Sequence[View], tables: Mapping[str, TableSchema]
) -> list[str]:
    """Creates views and macros with comments; returns the statements. A column that its file does not explain means
    what it does in `models`, else in the first table that has it. Raises DataError that names the file."""
    meanings: dict[str, str] = {}
    for table in sorted(tables.values(), key=lambda table: table.name != "models"):
        meanings = {column.name: column.comment for column in table.columns} | meanings
    statements: list[str] = []
    for view in views:
        where = f"pipeline/publish/sql/{'macros/' if view.is_macro else ''}{view.name}.sql"
        kind = "MACRO" if view.is_macro else "VIEW"
        is_table = re.search(r"\)\s*AS\s+TABLE\b", view.query, re.IGNORECASE) if view.is_macro else None
        try:
            create = f'CREATE {kind} "{view.name}"{view.query if view.is_macro else f" AS {view.query}"}'
            connection.execute(create)
            described = [] if view.is_macro else connection.execute(f'DESCRIBE "{view.name}"').fetchall()
            comments = [f'COMMENT ON {kind}{" TABLE" if is_table else ""} "{view.name}" IS {_quote(view.description)}']
            for name, *_ in described:
                if not (meaning := view.columns.get(name) or meanings.get(name)):
                    raise DataError.of(where, "has no comment", f"add the line `-- {name}: …`", record=name)
                comments.append(f'COMMENT ON COLUMN "{view.name}"."{name}" IS {_quote(meaning)}')
            connection.execute(";".join(comments))
        except duckdb.Error as error:
            raise DataError.of(where, str(error).splitlines()[0], "correct the SQL") from error
        statements += [create, *comments]
    return statements


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
