"""Writes one table as Parquet and CSV, at once or part by part, and says what the manifest has about it: its rows and
columns, the digest of its contents, and the size and SHA-256 of each file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from traincompute.base.disk import file_sha256
from traincompute.query.rendering import (
    Digest,
    escape_formulas,
    flatten,
    in_csv_order,
    write_heading,
    write_rows,
)

ZSTD_LEVEL = 6  # a fifteenth smaller than with the default, for 30 ms in a thread that has time to spare
Entry = dict[str, Any]  # what the manifest says of a table


def write_files(name: str, data: pa.Table, folder: Path) -> Entry:
    """Writes a table as Parquet and CSV; returns its entry in the manifest."""
    entries = write_parquet(name, data.schema, [data], folder), write_csv(name, data.schema, [data], folder)
    return joined(*entries)


def joined(*entries: Entry) -> Entry:
    """The entry of a table, of what `write_parquet` and `write_csv` say of it."""
    files = {file: about for entry in entries for file, about in entry["files"].items()}
    return {key: value for entry in entries for key, value in entry.items() if key != "files"} | {"files": files}


def write_parquet(name: str, schema: pa.Schema, parts: Iterable[pa.Table], folder: Path, **options: Any) -> Entry:
    """Writes a table as Parquet; its entry in the manifest has rows, columns and the file."""
    file, rows = folder / f"{name}.parquet", 0
    written = {"compression": "zstd", "compression_level": ZSTD_LEVEL, **options}
    with parquet.ParquetWriter(file, schema, **written) as writer:
        for part in parts:
            writer.write_table(part)
            rows += part.num_rows
    return {"rows": rows, "columns": len(schema), "files": {file.name: file_entry(file)}}


def write_csv(name: str, schema: pa.Schema, parts: Iterable[pa.Table], folder: Path) -> Entry:
    """Writes a table as CSV; its entry in the manifest has the file and the digest of its contents, which is that of
    the file unless rows stand in another order there, or a text is kept from being run by a spreadsheet as a
    formula."""
    file, content = folder / f"{name}.csv", None
    with file.open("wb") as text, Digest(text.write) as written:
        write_heading(flatten(schema.empty_table()), written.write)
        for part in parts:
            flat = flatten(part)
            shown = escape_formulas(in_csv_order(name, flat))
            if shown is not flat and content is None:
                content = Digest()
                content.sha256 = written.sha256.copy()
            write_rows(shown, written.write)
            if content is not None:
                write_rows(flat, content.write)
        digest = written.sha256.hexdigest()
    about = {"bytes": file.stat().st_size, "sha256": digest}
    return {"content_sha256": content.sha256.hexdigest() if content else digest, "files": {file.name: about}}


def file_entry(path: Path) -> Entry:
    """Size and SHA-256 of a file, as the manifest has them."""
    return {"bytes": path.stat().st_size, "sha256": file_sha256(path)}
