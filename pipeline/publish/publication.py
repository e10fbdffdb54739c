"""Tables → Parquet, CSV, DuckDB and manifest in a new folder, which becomes the published one at once.

The same tables give the same bytes (in the DuckDB file, the same contents). What readers see under data/processed/ are
links through `.current`, which is replaced in one step (folders.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from pipeline.frames import conform, to_arrow
from pipeline.publish.fingerprint import write_stamp
from pipeline.publish.folders import new_build
from pipeline.publish.formats import create_duckdb, disk_errors, insert_table, write_files
from pipeline.schema import TableSchema, View
from traincompute.query.catalogue import list_tables


class Publication:
    """A new build: two threads write tables as they arrive, while others are still being made. They mostly compress
    data in Arrow and DuckDB, neither of which needs the interpreter lock for that."""

    def __init__(self, schemas: Mapping[str, TableSchema], views: Sequence[View], folder: Path) -> None:
        self.schemas, self.folder = schemas, folder
        self.inserts: list[Future[None]] = []
        self.entries: dict[str, Future[dict[str, Any]]] = {}  # of the manifest
        self.duckdb_writer, self.file_writer = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        self.database = self.duckdb_writer.submit(create_duckdb, folder, schemas, views)

    def add(self, tables: Mapping[str, pd.DataFrame]) -> None:
        """Writes conformed tables, the largest first."""
        for name, frame in sorted(tables.items(), key=lambda item: (-item[1].size, item[0])):
            data = to_arrow(frame, self.schemas[name])
            insert = self.duckdb_writer.submit(lambda d, n: insert_table(self.database.result(), d, n), data, name)
            self.inserts.append(insert)
            self.entries[name] = self.file_writer.submit(write_files, name, data, self.folder)

    def finish(self, head: Mapping[str, Any], inputs: str = "") -> None:
        """Waits for the tables, then writes the manifest and `inputs`, the digest of what the build was made from. A
        table that was never added is empty. Raises the errors of the threads."""
        self.add({name: conform(pd.DataFrame(), self.schemas[name]) for name in self.schemas.keys() - self.entries})
        tables = {name: entry.result() for name, entry in sorted(self.entries.items())}
        for insert in self.inserts:
            insert.result()
        with self.database.result() as connection:
            connection.execute("CHECKPOINT")
            manifest = {**head, "tables": tables, "catalogue": list_tables(connection)}
        text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
        (self.folder / "manifest.json").write_text(text, encoding="utf-8")
        write_stamp(self.folder, inputs)


@contextmanager
def publication(schemas: Mapping[str, TableSchema], views: Sequence[View], target: Path) -> Iterator[Publication]:
    """A publication that becomes the current one below `target` if the block succeeds, and leaves nothing otherwise.
    Raises OSError if the disk does not allow it; what was published before then remains untouched."""
    with ExitStack() as stack:
        stack.enter_context(disk_errors())
        work = stack.enter_context(new_build(target))
        new = Publication(schemas, views, work)
        for writer in (new.duckdb_writer, new.file_writer):
            stack.callback(writer.shutdown, cancel_futures=True)
        yield new
