"""Whether the DuckDB file of a release holds the tables of its manifest, and nothing that reaches beyond them.

The file is opened sealed. What it defines is compared with what the Parquet files and the SQL beside them make anew, in
memory and sealed as well; only base tables are read, and no view or macro of the file is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from pyarrow import parquet

from traincompute.base.disk import file_sha256
from traincompute.base.errors import FileError
from traincompute.base.places import DUCKDB_NAME, MANIFEST, SQL_NAME, ReleaseError
from traincompute.query.rows import arrow_batches
from traincompute.query.sealed import open_sealed
from traincompute.verification.definitions import definition_faults, hidden_names
from traincompute.verification.functions import Functions, functions_of
from traincompute.verification.rendering import csv_digests
from traincompute.verification.statistics import database_fault
from traincompute.verification.sums import shown

MEMORY = "400MB"
BATCH_ROWS = 10_000
HEADERS = 3 * 4096  # bytes of a DuckDB file before its first block
NAME = re.compile(r"[a-z][a-z0-9_]*")
TABLES = "select schema_name, table_name from duckdb_tables() where not internal order by 2"
VIEWS = "select schema_name, view_name, sql from duckdb_views() where not internal order by 2"
CALLED = re.compile(r'(\w+)"?\s*\(')
TIMED = re.compile(r"\b(?:current_(?:date|time|timestamp)|localtime(?:stamp)?|timestamptz|timetz|time\s+zone)\b", re.I)
FROM_TEXT = re.compile(r"\b(from|join)\s*\(*\s*'", re.IGNORECASE)

View = tuple[str, str, str]


def check_database(folder: Path, tables: Mapping[str, Any]) -> Iterator[str]:
    """What in the DuckDB file is not as the manifest says: rows and their order, tables too many, SQL that reads files."""
    path = folder / DUCKDB_NAME
    if not path.is_file():
        yield f"{DUCKDB_NAME}: is missing"
        return
    sidecar = folder / f"{DUCKDB_NAME}.sha256"
    if sidecar.is_file() and sidecar.read_bytes() != f"{file_sha256(path)}  {DUCKDB_NAME}\n".encode():
        yield f"{sidecar.name}: is not the sha256 of {DUCKDB_NAME}"
    try:
        with open_sealed(path, MEMORY) as connection:
            functions, views = functions_of(connection), connection.execute(VIEWS).fetchall()
            problems = list(_check_names(connection, tables, functions, views))
            if not problems:
                problems = [*_check_size(connection, path), *_check_macros(connection, functions, views)]
                problems = problems or list(_check_definitions(connection, folder, tables, functions))
            if not problems:
                for name, entry in tables.items():
                    problems += _check_rows(connection, folder, name, entry)
            yield from problems
    except ReleaseError as error:
        yield str(error)
    except FileError as error:
        yield f"{DUCKDB_NAME}: {error}"
    except (duckdb.Error, pa.ArrowException, OSError, ValueError) as error:
        yield f"{DUCKDB_NAME}: {_line(error)}"


def _check_names(
    connection: duckdb.DuckDBPyConnection, tables: Mapping[str, Any], functions: Functions, views: list[View]
) -> Iterator[str]:
    """A base table for each table of the manifest and none besides; plain names."""
    held = connection.execute(TABLES).fetchall()
    macros = [(macro["schema_name"], macro["function_name"]) for macro in functions.macros]
    for schema, name in [*held, *(view[:2] for view in views), *macros]:
        if schema != "main" or not NAME.fullmatch(name):
            yield f"{DUCKDB_NAME}: {shown(f'{schema}.{name}'[:100])} is not the name of a table, view or macro of a release"
    names = {name for _, name in held}
    for name in sorted(names ^ set(tables)):
        what = f"is not described in {MANIFEST}" if name in names else "is no table of it"
        yield f"{DUCKDB_NAME}: {shown(name[:100])} {what}"


def _check_macros(connection: duckdb.DuckDBPyConnection, functions: Functions, views: list[View]) -> Iterator[str]:
    """Macros that call what reads files or the network; macros and views that answer for what is built into DuckDB, or
    whose answers are not the same everywhere and always."""
    readers = {about.name.lower() for about in functions.built_in if about.kind in ("table", "pragma")}
    unsteady = {about.name.lower() for about in functions.built_in if about.stability not in (None, "CONSISTENT")}
    macros = sorted((macro["function_name"], macro["macro_definition"]) for macro in functions.macros)
    for kind, name, text in [*(("macro", *macro) for macro in macros), *(("view", *view[1:]) for view in views)]:
        called = {word.lower() for word in CALLED.findall(text)}
        if kind == "macro" and (called & readers or FROM_TEXT.search(text)):
            yield f"{DUCKDB_NAME}: the macro {name} reaches beyond the tables"
        if unlike := sorted(called & unsteady) or TIMED.findall(text):
            yield f"{DUCKDB_NAME}: the {kind} {name} depends on a setting, the time or chance: {unlike[0]}"
    for kind, name in hidden_names(connection, functions):
        yield f"{DUCKDB_NAME}: the {kind} {name} bears the name of a {'function' if kind == 'macro' else 'view'} of DuckDB"


def _check_definitions(
    connection: duckdb.DuckDBPyConnection, folder: Path, tables: Mapping[str, Any], functions: Functions
) -> Iterator[str]:
    """Tables, columns, types, defaults, indexes, views, macros and comments: those of the Parquet files and the SQL."""
    schemas = {name: parquet.read_schema(folder / f"{name}.parquet") for name in tables}
    for name in definition_faults(connection, folder, schemas, functions, MEMORY):
        yield f"{DUCKDB_NAME}: {shown(name[:100])} is not what {SQL_NAME} and the Parquet files make"


def _check_size(connection: duckdb.DuckDBPyConnection, path: Path) -> Iterator[str]:
    [(block, blocks)] = connection.execute("select block_size, total_blocks from pragma_database_size()").fetchall()
    if path.stat().st_size != HEADERS + block * blocks:
        yield f"{DUCKDB_NAME}: has bytes that are not of the database"


def _check_rows(
    connection: duckdb.DuckDBPyConnection, folder: Path, name: str, entry: Mapping[str, Any]
) -> Iterator[str]:
    [(rows,)] = connection.execute(f'select count(*) from main."{name}"').fetchall()
    if rows != entry["rows"]:
        yield f"{DUCKDB_NAME}: {name} has {rows} rows, but {entry['rows']} in {MANIFEST}"
        return
    schema = parquet.read_schema(folder / f"{name}.parquet")
    found = arrow_batches(connection.sql(f'select * from main."{name}" order by rowid'), BATCH_ROWS)
    cast = (batch for part in found for batch in pa.Table.from_batches([part]).cast(schema).to_batches())
    if csv_digests(schema, cast).content != entry["content_sha256"]:
        yield f"{DUCKDB_NAME}: the contents of {name} are not those that {MANIFEST} describes"
        return
    with parquet.ParquetFile(folder / f"{name}.parquet", memory_map=False) as file:
        if fault := database_fault(connection, name, file):
            yield f"{DUCKDB_NAME}: {fault}"


def _line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]
