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
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.fingerprint import STAMP
from pipeline.schema import LIST_SEPARATOR, TableSchema, create_table, to_arrow
from pipeline.views import View, create_views, readable
from traincompute.commands import DUCKDB_NAME
from traincompute.tables import list_tables

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import pyarrow as pa

# files of storage version 1.2.0 open in every client from 1.2 on and in the browser; the default of 2.0 does not
DUCKDB_STORAGE = "v1.2.0"
ZSTD_LEVEL = 6  # a fifteenth smaller than the default, for 30 ms of a thread that has the time
STALE_S = 86_400
FORMULA_SIGNS = "^[=+@\\t\\r-]"


class Publication:
    """A new build in a folder of its own: tables are written by one thread as they come, while others are being made.

    What the thread does is mostly compression in Arrow and DuckDB, which need no interpreter lock."""

    def __init__(self, schemas: Mapping[str, TableSchema], views: Sequence[View], folder: Path) -> None:
        self.schemas, self.views, self.folder = schemas, views, folder
        self.entries: dict[str, Future[dict[str, Any]]] = {}
        self.pool = ThreadPoolExecutor(max_workers=1)
        self.database = self.pool.submit(open_duckdb, folder / DUCKDB_NAME)

    def add(self, tables: Mapping[str, pd.DataFrame]) -> None:
        """Writes conformed tables as Parquet, CSV and into the DuckDB file, the largest first."""
        for name, frame in sorted(tables.items(), key=lambda item: (-item[1].size, item[0])):
            self.entries[name] = self.pool.submit(self._write, name, frame)

    def _write(self, name: str, frame: pd.DataFrame) -> dict[str, Any]:
        data = to_arrow(frame, self.schemas[name])
        insert_table(self.database.result(), data, self.schemas[name])
        return _write_table(name, data, self.schemas[name], self.folder)

    def finish(self, about: Mapping[str, Any], inputs: str = "") -> None:
        """Waits for the tables, adds the views, writes the manifest and the digest of what the build was made from.
        Raises what went wrong in the thread."""
        entries = {name: self.entries[name].result() for name in sorted(self.entries)}
        known = {name: self.schemas[name] for name in entries}
        views = readable(self.views, set(self.schemas) - set(known))
        catalogue = self.pool.submit(close_duckdb, self.database.result(), views, known).result()
        digest = _sha256(self.folder / DUCKDB_NAME)
        (self.folder / f"{DUCKDB_NAME}.sha256").write_text(f"{digest}  {DUCKDB_NAME}\n")
        manifest = json.dumps({**about, "tables": entries, "catalogue": catalogue}, indent=1, ensure_ascii=False) + "\n"
        (self.folder / "manifest.json").write_text(manifest, encoding="utf-8")
        (self.folder / STAMP).write_text(inputs)


@contextmanager
def publication(schemas: Mapping[str, TableSchema], views: Sequence[View], target: Path) -> Iterator[Publication]:
    """A publication that becomes the current one below `target` when the block ends well, and leaves nothing otherwise.

    Raises OSError where the disk does not allow it: what was published before stands untouched."""
    builds = target / ".builds"
    builds.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="build-", dir=builds))
    made = None
    try:
        work.chmod(0o755)
        made = Publication(schemas, views, work)
        yield made
        _swap(work, target)
    except BaseException as error:
        if made:
            made.pool.shutdown(cancel_futures=True)
        if (target / ".current").resolve() != work.resolve():
            shutil.rmtree(work, ignore_errors=True)
        if _is_full_disk(error):
            raise OSError(str(error).splitlines()[-1]) from error
        raise
    finally:
        if made:
            made.pool.shutdown()


def _is_full_disk(error: BaseException) -> bool:
    """Whether DuckDB could not write its file, which it says with errors of its own."""
    import duckdb

    return isinstance(error, (duckdb.IOException, duckdb.FatalException))


def publish(
    tables: Mapping[str, pd.DataFrame],
    schemas: Mapping[str, TableSchema],
    views: Sequence[View],
    about: Mapping[str, Any],
    target: Path,
) -> Path:
    """Writes all files into a new folder and makes it the current one; returns the manifest's path below `target`."""
    with publication(schemas, views, target) as made:
        made.add(tables)
        made.finish(about)
    return target / "manifest.json"


def _write_table(name: str, data: pa.Table, table: TableSchema, folder: Path) -> dict[str, Any]:
    from pyarrow import parquet

    flat = flatten(data, table)
    escaped = escape_formulas(flat)
    plain = csv_bytes(flat)
    options = {"compression": "zstd", "compression_level": ZSTD_LEVEL, "write_page_index": True}
    parquet.write_table(data, folder / f"{name}.parquet", **options)
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


def open_duckdb(path: Path) -> duckdb.DuckDBPyConnection:
    """A new DuckDB file that every client from 1.2 on can read."""
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "storage_compatibility_version": DUCKDB_STORAGE,
        "threads": "1",
    }
    return duckdb.connect(str(path), config=config)


def insert_table(connection: duckdb.DuckDBPyConnection, data: pa.Table, table: TableSchema) -> None:
    """Creates the table with its key and a comment on it and on each column, and fills it."""
    connection.execute(";\n".join(["BEGIN", *create_table(table), "COMMIT"]))
    connection.register("incoming", data)
    connection.execute(f'INSERT INTO "{table.name}" SELECT * FROM incoming')
    connection.unregister("incoming")
    connection.execute("CHECKPOINT")  # compresses now, while other tables are being made


def close_duckdb(
    connection: duckdb.DuckDBPyConnection, views: Sequence[View], tables: Mapping[str, TableSchema]
) -> list[dict[str, Any]]:
    """Adds views and macros and closes the file, whole; what is in it, as `traincompute tables` lists it."""
    with connection:
        create_views(connection, views, tables)
        connection.execute("CHECKPOINT")
        return list_tables(connection)


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
