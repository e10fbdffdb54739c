"""The published files of tables that come in parts: each as Parquet and CSV, and all in one DuckDB file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet

from pipeline.publish.duckdb import close_duckdb, connect_duckdb, insert_table, open_duckdb
from pipeline.publish.table_files import file_entry
from pipeline.registry.context import Context
from pipeline.registry.frames import arrow_schema
from pipeline.registry.schema import TableSchema
from pipeline.scale.chunk import HASHED
from traincompute.base.disk import file_sha256
from traincompute.base.places import DUCKDB_NAME
from traincompute.verification.rendering import Digest, escape_formulas, flatten

ZSTD_LEVEL = 1  # the third takes an eighth longer for 4 %
MEMORY = "500MB"
# Left uncompressed: keys never recur, and the ids of claims that are stored together, in the order of their hashes, hardly
# do; looking for repetitions in them takes a seventh of the time
PLAIN = {
    "claims": ("claim_id", "model_id", "record"),
    "estimates": ("estimate_id",),
    "models": ("model_id",),
    "predictions": ("model_id",),
    "revisions": ("revision_id",),
}
Entry = dict[str, Any]  # what the manifest says of a table, or of one of its files


class Parquet:
    """A Parquet file that is written part by part, and what the manifest says of it."""

    def __init__(self, table: TableSchema, folder: Path) -> None:
        self.file, self.schema, self.rows = folder / f"{table.name}.parquet", arrow_schema(table), 0
        options: dict[str, Any] = {"compression": "zstd", "compression_level": ZSTD_LEVEL, "write_page_index": True}
        if table.name in HASHED:  # a dictionary of keys, none of which recurs, takes time and room
            options["use_dictionary"] = [name for name in self.schema.names if name not in table.primary_key]
        self.writer = parquet.ParquetWriter(self.file, self.schema, **options)

    def add(self, part: pa.Table) -> None:
        self.writer.write_table(part.cast(self.schema), row_group_size=max(part.num_rows, 1))
        self.rows += part.num_rows

    def close(self) -> None:
        self.writer.close()

    @property
    def entry(self) -> Entry:
        files = {self.file.name: file_entry(self.file)}
        return {"rows": self.rows, "columns": len(self.schema), "files": files}


class Csv:
    """The same for CSV, with its digest, and that of its contents once they differ from it: from the first text on that a
    spreadsheet would run as a formula."""

    def __init__(self, table: TableSchema, folder: Path) -> None:
        self.file = folder / f"{table.name}.csv"
        self.text = self.file.open("wb")
        self.written = Digest(self.text.write)
        self.content: Digest | None = None
        csv.write_csv(flatten(arrow_schema(table).empty_table()), self.written)

    def add(self, part: pa.Table) -> None:
        flat, bare = flatten(part), csv.WriteOptions(include_header=False)
        escaped = escape_formulas(flat)
        if escaped is not flat and self.content is None:
            self.content = Digest()
            self.content.sha256 = self.written.sha256.copy()
        csv.write_csv(escaped, self.written, bare)
        if self.content is not None:
            csv.write_csv(flat, self.content, bare)

    def close(self) -> None:
        self.text.close()

    @property
    def entry(self) -> Entry:
        files = {self.file.name: {"bytes": self.file.stat().st_size, "sha256": self.written.sha256.hexdigest()}}
        return {"content_sha256": (self.content or self.written).sha256.hexdigest(), "files": files}


Form = type[Parquet] | type[Csv]
FORMS: tuple[Form, ...] = (Parquet, Csv)


def write_files(table: TableSchema, some: Iterable[pa.Table], folder: Path, *forms: Form) -> Entry:
    """Writes a table in these forms, or in all; returns its entry in the manifest, as far as they make it."""
    with ExitStack() as stack:
        files = [form(table, folder) for form in forms or FORMS]
        for file in files:
            stack.callback(file.close)
        for part in some:
            for file in files:
                file.add(part)
    return joined(*(file.entry for file in files))


def joined(*entries: Entry) -> Entry:
    """The entry of a table, of what each of its files says."""
    files = {name: about for entry in entries for name, about in entry["files"].items()}
    return {name: value for entry in entries for name, value in entry.items()} | {"files": files}


def make_duckdb(context: Context, folder: Path) -> None:
    """Makes the DuckDB file, with its views and without rows."""
    open_duckdb(folder / DUCKDB_NAME, context.schemas, context.views, plain=PLAIN).close()


def fill_duckdb(context: Context, tables: Mapping[str, Iterable[pa.Table]], folder: Path) -> None:
    """Adds tables to the DuckDB file."""
    with connect_duckdb(folder / DUCKDB_NAME) as connection:
        for name, some in tables.items():
            batches = (batch for part in some for batch in part.to_batches())
            reader = pa.RecordBatchReader.from_batches(arrow_schema(context.schemas[name]), batches)
            insert_table(connection, reader, name, MEMORY)


def complete_duckdb(name: str, folder: Path) -> list[dict[str, Any]]:
    """Adds the last table to the DuckDB file, from its Parquet file, and writes its digest; returns what it contains."""
    connection = connect_duckdb(folder / DUCKDB_NAME)
    insert_table(connection, folder / f"{name}.parquet", name, MEMORY)
    catalogue = close_duckdb(connection)
    digest = file_sha256(folder / DUCKDB_NAME)
    (folder / f"{DUCKDB_NAME}.sha256").write_text(f"{digest}  {DUCKDB_NAME}\n")
    return catalogue
