"""Stage 4: tables → Parquet, CSV, DuckDB and manifest in a new folder, which becomes the published one at once. Run one
at a time, the stages hand their tables on in data/processed/stages/.

The same tables give the same bytes (in the DuckDB file, the same contents)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from pipeline.config import SCHEMA_VERSION, Config
from pipeline.errors import DataError
from pipeline.frames import Tables, conform, load_frame, to_arrow
from pipeline.paths import build_version
from pipeline.publish.builds import new_build, write_stamp
from pipeline.schema import TableSchema, View
from traincompute.base.files import file_sha256
from traincompute.base.places import DUCKDB_NAME, SQL_NAME
from traincompute.query.rendering import flatten, for_spreadsheets, write_csv

REMEDY = "run `traincompute stage normalize`"
VINTAGE = "vintage.txt"  # the day of the vintage; empty for the newest
ZSTD_LEVEL = 6  # a fifteenth smaller than with the default, for 30 ms in a thread that has time to spare
# Files of storage version 1.2.0 open in every client from 1.2 on and in the browser; those of 2.0's default do not
DUCKDB_STORAGE = "v1.2.0"
LEFT_IN_MEMORY = "1MB"  # of what has been written: DuckDB would keep all of it, in case it is read
DUCKDB_TYPES = {"string": "VARCHAR", "number": "DOUBLE", "integer": "BIGINT", "list": "VARCHAR[]"}  # others alike


class Publication:
    """A new build: a thread writes tables as they arrive, while others are still being made. It mostly compresses data
    in Arrow and DuckDB, neither of which needs the interpreter lock for that."""

    def __init__(self, schemas: Mapping[str, TableSchema], views: Sequence[View], folder: Path) -> None:
        self.schemas, self.views, self.folder = schemas, views, folder
        self.entries: dict[str, Future[dict[str, Any]]] = {}  # of the manifest
        self.writer = ThreadPoolExecutor(1)  # with two, a build would need more memory, and no less time
        self.database: Future[duckdb.DuckDBPyConnection]

    def add(self, tables: Mapping[str, pd.DataFrame]) -> None:
        """Writes conformed tables, the largest first, and before the first one the DuckDB file, which needs a tenth of
        the memory of a build."""
        if not self.entries:
            self.database = self.writer.submit(create_duckdb, self.folder, self.schemas, self.views)
        for name, frame in sorted(tables.items(), key=lambda item: (-item[1].size, item[0])):
            self.entries[name] = self.writer.submit(self._write, name, to_arrow(frame, self.schemas[name]))

    def _write(self, name: str, data: pa.Table) -> dict[str, Any]:
        insert_table(self.database.result(), data, name)
        return write_files(name, data, self.folder)

    def finish(self, head: Mapping[str, Any], inputs: str = "") -> None:
        """Waits for the tables, then writes the manifest and `inputs`, the digest of what the build was made from. A
        table that was never added is empty. Raises the errors of the thread."""
        self.add({name: conform(pd.DataFrame(), self.schemas[name]) for name in self.schemas.keys() - self.entries})
        tables = {name: entry.result() for name, entry in sorted(self.entries.items())}
        with self.database.result() as connection:
            connection.execute("CHECKPOINT")
        text = json.dumps({**head, "tables": tables}, indent=1, ensure_ascii=False) + "\n"
        (self.folder / "manifest.json").write_text(text, encoding="utf-8")
        write_stamp(self.folder, inputs)


@contextmanager
def publication(schemas: Mapping[str, TableSchema], views: Sequence[View], target: Path) -> Iterator[Publication]:
    """A publication that becomes the current one below `target` if the block succeeds, and leaves nothing otherwise.
    Raises OSError if the disk does not allow it; what was published before then remains untouched."""
    try:
        with new_build(target) as work:
            new = Publication(schemas, views, work)
            try:
                yield new
            finally:
                new.writer.shutdown(cancel_futures=True)
    except (duckdb.IOException, duckdb.FatalException, duckdb.TransactionException) as error:  # DuckDB's own
        raise OSError(str(error).splitlines()[-1]) from error


def publish_tables(context: Config, tables: Tables, as_of: date | None) -> Path:
    """Writes all tables and the manifest below data/processed/; returns the folder, which a vintage has to itself."""
    folder = context.paths.of(as_of).processed
    with publication(context.schemas, context.views, folder) as out:
        out.add(tables)
        out.finish(manifest_head(context, tables["sources"], as_of))
    return folder


def manifest_head(context: Config, sources: pd.DataFrame, as_of: date | None) -> dict[str, Any]:
    """Versions, vintage, snapshots in use and the digest of the lock; nothing of the machine or the clock."""
    lock = context.paths.lock.read_bytes() if context.paths.lock.exists() else b""
    used = sources.set_index("source_id")["snapshot"].dropna().dt.strftime("%Y-%m-%d")
    return {
        "name": "traincompute",
        "version": f"vintage-{as_of}" if as_of else build_version(),
        "schema_version": SCHEMA_VERSION,
        "as_of": as_of.isoformat() if as_of else None,
        "snapshots": used.to_dict(),
        "lock_sha256": hashlib.sha256(lock).hexdigest(),
    }


def save(context: Config, tables: Tables, as_of: date | None) -> None:
    """Writes what a stage has made for the next one: each table as Parquet, and the vintage that they belong to."""
    folder = context.paths.stages
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.parquet"):
        stale.unlink()
    for name, frame in tables.items():
        data = to_arrow(frame, context.schemas[name])
        schema = pa.schema([field.with_nullable(True) for field in data.schema])  # a later stage fills what is null
        parquet.write_table(pa.Table.from_arrays(data.columns, schema=schema), folder / f"{name}.parquet")
    (folder / VINTAGE).write_text(as_of.isoformat() if as_of else "")


def load(context: Config) -> tuple[Tables, date | None]:
    """The tables that the last stage left, and their vintage. Raises DataError if there are none, or cut ones."""
    folder, short = context.paths.stages, context.paths.short
    files = sorted(folder.glob("*.parquet"))
    if not files:
        raise DataError.of(short(folder), "there is nothing to continue from", f"{REMEDY} first")
    tables = {file.stem: load_frame(file, short(file), context.schemas[file.stem], REMEDY) for file in files}
    try:
        as_of = (folder / VINTAGE).read_text()
        return tables, date.fromisoformat(as_of) if as_of else None
    except (OSError, ValueError) as error:
        raise DataError.of(short(folder / VINTAGE), f"cannot be read: {error}", REMEDY) from error


# --- The formats ---


def write_files(name: str, data: pa.Table, folder: Path) -> dict[str, Any]:
    """Writes a table as Parquet and CSV; returns its entry in the manifest: rows, columns, the digest of the contents,
    and bytes and SHA-256 of each file.

    The digest is that of a CSV in the order of the key, whose texts are not kept from being run as formulas."""
    files = folder / f"{name}.parquet", folder / f"{name}.csv"
    parquet.write_table(data, files[0], compression="zstd", compression_level=ZSTD_LEVEL)
    flat = flatten(data)
    shown = for_spreadsheets(name, flat)
    with files[1].open("wb") as text:
        digest = write_csv(shown, text.write)
    return {
        "rows": data.num_rows,
        "columns": data.num_columns,
        "content_sha256": digest if shown is flat else write_csv(flat),
        "files": {file.name: {"bytes": file.stat().st_size, "sha256": file_sha256(file)} for file in files},
    }


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
        try:
            create = f'CREATE {kind} "{view.name}"{view.query if view.is_macro else f" AS {view.query}"}'
            connection.execute(create)
            described = [] if view.is_macro else connection.execute(f'DESCRIBE "{view.name}"').fetchall()
            comments = [f'COMMENT ON {kind} "{view.name}" IS {_quote(view.description)}']
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
