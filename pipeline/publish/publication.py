"""Writes the tables as Parquet, CSV and one DuckDB file with a manifest, and swaps them in at once.

The same tables give the same bytes (in the DuckDB file, the same contents). A new build is written beside the old one;
what readers see under data/processed/ are links through `.current`, which is replaced in one step.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from pipeline.publish.duckdb import close_duckdb, disk_errors, insert_table, open_duckdb, write_statements
from pipeline.publish.fingerprint import STAMP
from pipeline.publish.swap import swap_in, work_folder
from pipeline.publish.table_files import write_files
from pipeline.registry.frames import conform, to_arrow
from pipeline.registry.schema import TableSchema
from pipeline.registry.views import View
from traincompute.base.disk import file_sha256
from traincompute.base.places import DUCKDB_NAME


class Publication:
    """A new build in a folder of its own: one thread writes tables as they arrive, while others are still being made.

    The thread mostly compresses data in Arrow and DuckDB, neither of which needs the interpreter lock for that."""

    def __init__(
        self, schemas: Mapping[str, TableSchema], views: Sequence[View], folder: Path, empty: Path | None
    ) -> None:
        self.schemas, self.folder = schemas, folder
        self.inserts: list[Future[None]] = []
        self.inserted: dict[str, pa.Table] = {}  # what was just inserted, until it is written as files
        self.files: dict[str, tuple[Future[dict[str, Any]], pd.DataFrame]] = {}
        self.pool = ThreadPoolExecutor(max_workers=1)
        self.database = self.pool.submit(open_duckdb, folder / DUCKDB_NAME, schemas, views, empty)

    def add(self, tables: Mapping[str, pd.DataFrame]) -> None:
        """Writes conformed tables as Parquet, as CSV and into the DuckDB file, the largest first."""
        for name, frame in sorted(tables.items(), key=lambda item: (-item[1].size, item[0])):
            self.inserts.append(self.pool.submit(self._insert, name, frame))
            self.files[name] = self.pool.submit(self._write, name, frame), frame

    def _insert(self, name: str, frame: pd.DataFrame) -> None:
        self.inserted[name] = data = to_arrow(frame, self.schemas[name])
        insert_table(self.database.result(), data, name)

    def _write(self, name: str, frame: pd.DataFrame) -> dict[str, Any]:
        data = self.inserted.pop(name, None)
        data = to_arrow(frame, self.schemas[name]) if data is None else data
        return write_files(name, data, self.folder)

    def _entry(self, name: str) -> dict[str, Any]:
        """A table's entry in the manifest. Files that the thread has not begun to write are written by the caller, who
        would otherwise only wait for it."""
        written, frame = self.files[name]
        return self._write(name, frame) if written.cancel() else written.result()

    def finish(self, about: Mapping[str, Any], inputs: str = "") -> None:
        """Waits for the tables, then writes the manifest and the digest of what the build was made from. A table that
        was never added is empty. Raises the errors of the thread."""
        self.add({name: conform(pd.DataFrame(), self.schemas[name]) for name in self.schemas.keys() - self.files})
        # in reverse, since the thread began at the beginning
        made = {name: self._entry(name) for name in reversed(self.files)}
        for insert in self.inserts:
            insert.result()
        catalogue = self.pool.submit(close_duckdb, self.database.result()).result()
        write_manifest(self.folder, about, made, catalogue)
        (self.folder / STAMP).write_text(inputs)


def write_manifest(
    folder: Path, about: Mapping[str, Any], tables: Mapping[str, Any], catalogue: list[dict[str, Any]]
) -> None:
    """Writes the SQL of what the DuckDB file defines and the manifest: what it says `about` the build, the entry of
    each table, and what the DuckDB file contains."""
    (folder / f".{DUCKDB_NAME}.sha256").write_text(f"{file_sha256(folder / DUCKDB_NAME)}  {DUCKDB_NAME}\n")
    write_statements(folder, tables)
    manifest = {**about, "tables": dict(sorted(tables.items())), "catalogue": catalogue}
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    (folder / "manifest.json").write_text(text, encoding="utf-8")


@contextmanager
def publication(
    schemas: Mapping[str, TableSchema], views: Sequence[View], target: Path, empty: Path | None = None
) -> Iterator[Publication]:
    """A publication that becomes the current one below `target` if the block succeeds, and leaves nothing otherwise.
    `empty` is a DuckDB file with the same schemas and views and no rows.

    Raises OSError if the disk does not allow it; what was published before then remains untouched."""
    with work_folder(target) as work, disk_errors():
        made = None
        try:
            made = Publication(schemas, views, work, empty)
            yield made
            swap_in(work, target)
        except BaseException:
            if made:
                made.pool.shutdown(cancel_futures=True)
            raise
        finally:
            if made:
                made.pool.shutdown()


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
