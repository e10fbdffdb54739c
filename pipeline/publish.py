"""Writes the tables as Parquet, CSV and one DuckDB file with a manifest, and swaps them in at once.

Same tables, same bytes (the DuckDB file has equal contents). A new build is written beside the old one; what readers
see under data/processed/ are links through `.current`, which is replaced in one step.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.fingerprint import STAMP
from pipeline.schema import LIST_SEPARATOR, TableSchema, conform, create_table, to_arrow
from pipeline.views import View, create_views
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
        self.schemas, self.folder = schemas, folder
        self.inserts: list[Future[None]] = []
        self.files: dict[str, tuple[Future[dict[str, Any]], pd.DataFrame]] = {}
        self.pool = ThreadPoolExecutor(max_workers=1)
        self.database = self.pool.submit(open_duckdb, folder / DUCKDB_NAME, schemas, views)

    def add(self, tables: Mapping[str, pd.DataFrame]) -> None:
        """Writes conformed tables as Parquet, CSV and into the DuckDB file, the largest first."""
        for name, frame in sorted(tables.items(), key=lambda item: (-item[1].size, item[0])):
            self.inserts.append(self.pool.submit(self._insert, name, frame))
            self.files[name] = self.pool.submit(self._write, name, frame), frame

    def _insert(self, name: str, frame: pd.DataFrame) -> None:
        insert_table(self.database.result(), to_arrow(frame, self.schemas[name]), name)

    def _write(self, name: str, frame: pd.DataFrame) -> dict[str, Any]:
        return write_files(name, to_arrow(frame, self.schemas[name]), self.schemas[name], self.folder)

    def _entry(self, name: str) -> dict[str, Any]:
        """The manifest's entry of a table. Files that the thread has not begun with are written here and now: who waits
        for it may as well do its work."""
        written, frame = self.files[name]
        return self._write(name, frame) if written.cancel() else written.result()

    def finish(self, about: Mapping[str, Any], inputs: str = "") -> None:
        """Waits for the tables, writes the manifest and the digest of what the build was made from. A table that never
        came is empty. Raises what went wrong in the thread."""
        import pandas as pd

        self.add({name: conform(pd.DataFrame(), self.schemas[name]) for name in self.schemas.keys() - self.files})
        # from the end: the thread began at the beginning
        made = {name: self._entry(name) for name in reversed(self.files)}
        for insert in self.inserts:
            insert.result()
        catalogue = self.pool.submit(close_duckdb, self.database.result()).result()
        digest = _sha256(self.folder / DUCKDB_NAME)
        (self.folder / f"{DUCKDB_NAME}.sha256").write_text(f"{digest}  {DUCKDB_NAME}\n")
        manifest = {**about, "tables": dict(sorted(made.items())), "catalogue": catalogue}
        text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
        (self.folder / "manifest.json").write_text(text, encoding="utf-8")
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


def write_files(name: str, data: pa.Table, table: TableSchema, folder: Path) -> dict[str, Any]:
    """Writes a table as Parquet and CSV; its entry in the manifest."""
    from pyarrow import parquet

    flat = flatten(data, table)
    escaped = escape_formulas(flat)
    options = {"compression": "zstd", "compression_level": ZSTD_LEVEL, "write_page_index": True}
    parquet.write_table(data, folder / f"{name}.parquet", **options)
    with (folder / f"{name}.csv").open("wb") as file:
        written = write_csv(escaped, file.write)
    content = written if escaped is flat else write_csv(flat)
    files = {
        f"{name}.parquet": _file_entry(folder / f"{name}.parquet"),
        f"{name}.csv": {"bytes": (folder / f"{name}.csv").stat().st_size, "sha256": written},
    }
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


class _Digest(io.RawIOBase):
    """A file that hands on what is written and keeps its sha256."""

    def __init__(self, write: Callable[[Any], object]) -> None:
        self.sha256, self.hand_on = hashlib.sha256(), write

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.sha256.update(data)
        self.hand_on(data)
        return len(data)


def write_csv(flat: pa.Table, write: Callable[[Any], object] = lambda _: None) -> str:
    """Hands a table without lists to `write` as CSV, piece by piece: nulls empty, floats in their shortest exact form.
    Returns the sha256 of the whole."""
    from pyarrow import csv

    with _Digest(write) as sink:
        csv.write_csv(flat, sink)
        return sink.sha256.hexdigest()


def open_duckdb(path: Path, tables: Mapping[str, TableSchema], views: Sequence[View]) -> duckdb.DuckDBPyConnection:
    """A new DuckDB file that every client from 1.2 on can read, with empty tables, views and macros, and their comments."""
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "storage_compatibility_version": DUCKDB_STORAGE,
        "threads": "1",
    }
    connection = duckdb.connect(str(path), config=config)
    connection.begin()  # one transaction for all: a commit each takes half as long again
    for table in tables.values():
        connection.execute(";\n".join(create_table(table)))
    create_views(connection, views, tables)
    connection.commit()
    return connection


def insert_table(connection: duckdb.DuckDBPyConnection, data: pa.Table, name: str) -> None:
    """Fills a table."""
    connection.register("incoming", data)
    connection.execute(f'INSERT INTO "{name}" SELECT * FROM incoming')
    connection.unregister("incoming")
    connection.execute("CHECKPOINT")  # compresses now, while other tables are being made


def close_duckdb(connection: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Closes the file, whole; what is in it, as `traincompute tables` lists it."""
    with connection:
        connection.execute("CHECKPOINT")
        return list_tables(connection)


def duckdb_content(connection: duckdb.DuckDBPyConnection, table: TableSchema) -> str:
    """The content hash of a table in a DuckDB file, comparable with `content_sha256` of the manifest."""
    from pipeline.schema import arrow_schema

    key = ", ".join(f'"{name}"' for name in table.primary_key)
    data: Any = connection.cursor().sql(f'SELECT * FROM "{table.name}" ORDER BY {key}').to_arrow_table()
    return write_csv(flatten(data.cast(arrow_schema(table)), table))


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
