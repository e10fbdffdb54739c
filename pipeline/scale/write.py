"""The published files of tables that come in parts: each as Parquet and CSV, and all in one DuckDB file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet

from pipeline.base.files import sha256_of
from pipeline.publish.duckdb import close_duckdb, insert_table, open_duckdb, reopen_duckdb
from pipeline.publish.files import file_entry
from pipeline.registry.context import Context
from pipeline.registry.frames import arrow_schema
from pipeline.registry.schema import TableSchema
from pipeline.scale.chunk import HASHED
from traincompute.releases.places import DUCKDB_NAME
from traincompute.releases.rendering import Digest, escape_formulas, flatten

ZSTD_LEVEL = 1  # the third takes an eighth longer for 4 %
MEMORY = "500MB"


def write_stream(table: TableSchema, some: Iterable[pa.Table], folder: Path) -> dict[str, Any]:
    """Writes a table as Parquet and CSV; returns its entry in the manifest."""
    schema, rows = arrow_schema(table), 0
    options: dict[str, Any] = {"compression": "zstd", "compression_level": ZSTD_LEVEL, "write_page_index": True}
    if table.name in HASHED:  # a dictionary of keys, none of which recurs, takes time and room
        options["use_dictionary"] = [name for name in schema.names if name not in table.primary_key]
    names = folder / f"{table.name}.parquet", folder / f"{table.name}.csv"
    with parquet.ParquetWriter(names[0], schema, **options) as file, names[1].open("wb") as text:
        lines = _Lines(text.write, flatten(schema.empty_table()))
        for part in some:
            file.write_table(part.cast(schema), row_group_size=max(part.num_rows, 1))
            lines.add(flatten(part))
            rows += part.num_rows
    files = {names[0].name: file_entry(names[0])}
    files[names[1].name] = {"bytes": names[1].stat().st_size, "sha256": lines.written.sha256.hexdigest()}
    content = (lines.content or lines.written).sha256.hexdigest()
    return {"rows": rows, "columns": len(schema), "content_sha256": content, "files": files}


class _Lines:
    """A CSV file that is written part by part, with its digest, and that of its contents once they differ from it: from
    the first text on that a spreadsheet would run as a formula."""

    def __init__(self, write: Any, empty: pa.Table) -> None:
        self.written = Digest(write)
        self.content: Digest | None = None
        csv.write_csv(empty, self.written)

    def add(self, flat: pa.Table) -> None:
        escaped, bare = escape_formulas(flat), csv.WriteOptions(include_header=False)
        if escaped is not flat and self.content is None:
            self.content = Digest()
            self.content.sha256 = self.written.sha256.copy()
        csv.write_csv(escaped, self.written, bare)
        if self.content is not None:
            csv.write_csv(flat, self.content, bare)


def begin_duckdb(context: Context, tables: Mapping[str, Iterable[pa.Table]], folder: Path) -> None:
    """Writes tables into one DuckDB file with the views."""
    with open_duckdb(folder / DUCKDB_NAME, context.schemas, context.views) as connection:
        for name, some in tables.items():
            batches = (batch for part in some for batch in part.to_batches())
            reader = pa.RecordBatchReader.from_batches(arrow_schema(context.schemas[name]), batches)
            insert_table(connection, reader, name, MEMORY)


def complete_duckdb(name: str, folder: Path) -> list[dict[str, Any]]:
    """Adds a table from its Parquet file, and writes the digest of the DuckDB file; returns what that contains."""
    connection = reopen_duckdb(folder / DUCKDB_NAME)
    insert_table(connection, folder / f"{name}.parquet", name, MEMORY)
    catalogue = close_duckdb(connection)
    digest = sha256_of(folder / DUCKDB_NAME)
    (folder / f"{DUCKDB_NAME}.sha256").write_text(f"{digest}  {DUCKDB_NAME}\n")
    return catalogue
