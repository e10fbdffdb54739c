"""Writes the tables as Parquet, CSV and one DuckDB file with a manifest, and swaps them in at once.

Same tables, same bytes (the DuckDB file has equal contents). A new build is written beside the old one; what readers
see under data/processed/ are links through `.current`, which is replaced in one step.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.schema import LIST_SEPARATOR, TableSchema, create_table, to_arrow
from pipeline.views import View, create_views
from traincompute.commands import DUCKDB_NAME

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import pyarrow as pa

# files of storage version 1.2.0 open in every client from 1.2 on and in the browser; the default of 2.0 does not
DUCKDB_STORAGE = "v1.2.0"
STALE_S = 86_400
FORMULA_SIGNS = "^[=+@\\t\\r-]"


def publish(
    tables: Mapping[str, pd.DataFrame],
    schemas: Mapping[str, TableSchema],
    views: Sequence[View],
    about: Mapping[str, Any],
    target: Path,
) -> Path:
    """Writes all files into a new folder and makes it the current one; returns the manifest's path below `target`.

    Raises OSError where the disk does not allow it: what was published before stands untouched."""
    builds = target / ".builds"
    builds.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="build-", dir=builds))
    try:
        work.chmod(0o755)
        _write_all(tables, schemas, views, about, work)
        _swap(work, target)
    except BaseException:
        if (target / ".current").resolve() != work.resolve():
            shutil.rmtree(work, ignore_errors=True)
        raise
    return target / "manifest.json"


def _write_all(
    tables: Mapping[str, pd.DataFrame],
    schemas: Mapping[str, TableSchema],
    views: Sequence[View],
    about: Mapping[str, Any],
    work: Path,
) -> None:
    arrow = {name: to_arrow(frame, schemas[name]) for name, frame in sorted(tables.items())}
    with ThreadPoolExecutor(max_workers=1) as pool:  # DuckDB compresses on one core while the other writes the rest
        database = pool.submit(write_duckdb, arrow, schemas, views, work / DUCKDB_NAME)
        entries = {name: _write_table(name, data, schemas[name], work) for name, data in arrow.items()}
        database.result()
    (work / f"{DUCKDB_NAME}.sha256").write_text(f"{_sha256(work / DUCKDB_NAME)}  {DUCKDB_NAME}\n")
    manifest = json.dumps({**about, "tables": entries}, indent=1, ensure_ascii=False) + "\n"
    (work / "manifest.json").write_text(manifest, encoding="utf-8")


def _write_table(name: str, data: pa.Table, table: TableSchema, folder: Path) -> dict[str, Any]:
    from pyarrow import parquet

    flat = flatten(data, table)
    escaped = escape_formulas(flat)
    plain = csv_bytes(flat)
    parquet.write_table(data, folder / f"{name}.parquet", compression="zstd", write_page_index=True)
    (folder / f"{name}.csv").write_bytes(plain if escaped is flat else csv_bytes(escaped))
    files = {f"{name}.{end}": _file_entry(folder / f"{name}.{end}") for end in ("parquet", "csv")}
    content = hashlib.sha256(plain).hexdigest()
    return {"rows": data.num_rows, "columns": data.num_columns, "content_sha256": content, "files": files}


def flatten(data: pa.Table, table: TableSchema) -> pa.Table:
    """The table with its lists ;-joined."""
    import pyarrow.compute as pc

    for number, column in enumerate(table.columns):
        if column.type == "list":
            joined = pc.binary_join(data[column.name].combine_chunks(), LIST_SEPARATOR)
            data = data.set_column(number, column.name, joined)
    return data


def escape_formulas(flat: pa.Table) -> pa.Table:
    """The table with an apostrophe before each text that a spreadsheet would run as a formula."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for number, field in enumerate(flat.schema):
        if pa.types.is_string(field.type):
            values = flat[field.name]
            risky = pc.match_substring_regex(values, FORMULA_SIGNS)
            if pc.any(risky).as_py():
                marked = pc.binary_join_element_wise(pa.scalar("'"), values, "")
                flat = flat.set_column(number, field, pc.if_else(risky, marked, values))
    return flat


def csv_bytes(flat: pa.Table) -> bytes:
    """A table without lists as CSV: nulls empty, floats in their shortest exact form."""
    import pyarrow as pa
    from pyarrow import csv

    sink = pa.BufferOutputStream()
    csv.write_csv(flat, sink)
    return bytes(sink.getvalue())


def write_duckdb(
    arrow: Mapping[str, pa.Table], schemas: Mapping[str, TableSchema], views: Sequence[View], path: Path
) -> None:
    """One DuckDB file with every table and its key, every view and macro, and a comment on each and on each column."""
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "storage_compatibility_version": DUCKDB_STORAGE,
        "threads": "1",
    }
    with duckdb.connect(str(path), config=config) as connection:
        statements = [statement for name in arrow for statement in create_table(schemas[name])]
        connection.execute(";\n".join(["BEGIN", *statements, "COMMIT"]))
        for name, data in arrow.items():
            connection.register("incoming", data)
            connection.execute(f'INSERT INTO "{name}" SELECT * FROM incoming')
            connection.unregister("incoming")
        create_views(connection, views, {name: schemas[name] for name in arrow})
        connection.execute("CHECKPOINT")


def duckdb_content(connection: duckdb.DuckDBPyConnection, table: TableSchema) -> str:
    """The content hash of a table in a DuckDB file, comparable with `content_sha256` of the manifest."""
    from pipeline.schema import arrow_schema

    key = ", ".join(f'"{name}"' for name in table.primary_key)
    data: Any = connection.cursor().sql(f'SELECT * FROM "{table.name}" ORDER BY {key}').to_arrow_table()
    return hashlib.sha256(csv_bytes(flatten(data.cast(arrow_schema(table)), table))).hexdigest()


def _swap(work: Path, target: Path) -> None:
    """Makes `work` the current build. The one step that readers notice is the rename of `.current`."""
    current = target / ".current"
    before = current.resolve() if current.is_symlink() else None
    for path in sorted(work.iterdir()):
        _link(target / path.name, Path(".current") / path.name)
    _link(current, Path(".builds") / work.name)
    _remove_stale(before, work)
    for link in target.iterdir():
        if link.is_symlink() and not link.exists():
            link.unlink(missing_ok=True)


def _remove_stale(before: Path | None, work: Path) -> None:
    """Removes the build that was current, and what killed builds left behind more than a day ago."""
    for folder in work.parent.iterdir():
        old = folder.stat().st_mtime < work.stat().st_mtime - STALE_S
        if folder != work and (folder.resolve() == before or old):
            shutil.rmtree(folder, ignore_errors=True)


def _link(link: Path, to: Path) -> None:
    """A relative link, put in place in one step. A folder in its place comes from a copy that followed links."""
    if link.is_symlink() and link.readlink() == to:
        return
    if link.is_dir() and not link.is_symlink():
        shutil.rmtree(link)
    fresh = link.with_name(f".{link.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(to)
    fresh.replace(link)


def _file_entry(path: Path) -> dict[str, Any]:
    return {"bytes": path.stat().st_size, "sha256": _sha256(path)}


def _sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
