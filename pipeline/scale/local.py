"""One machine as the engine: DuckDB, which spills what does not fit, and a pool of processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
from pyarrow import parquet

from pipeline.base.processes import process_pool
from pipeline.scale.engine import LINES, MakeTables, ReadLines

MEMORY = "1GB"
TABLES = "pipeline.scale.build"  # what the processes run


class Local:
    """The engine that works below the folder `scratch` with that many processes."""

    def __init__(self, scratch: Path, jobs: int) -> None:
        self.scratch, self.jobs = scratch, jobs

    def read_lines(self, read: ReadLines, files: Sequence[tuple[str, Path]]) -> None:
        (self.scratch / LINES).mkdir()
        targets = [self.scratch / LINES / f"{number:06}.parquet" for number in range(len(files))]
        self._run(partial(_write_lines, read), zip(targets, files, strict=True))

    def query(self, sql: str, target: Path) -> None:
        self._run_sql(f"COPY ({sql}) TO '{target}' (FORMAT parquet)")

    def make_chunks(self, make: MakeTables, routes: Path) -> None:
        # what lies between two steps is not compressed: that would take longer than to write and read it
        chunks = self.scratch / "chunks"
        self._run_sql(
            f"COPY (FROM lines JOIN '{routes}' USING (record)) TO '{chunks}'"
            " (FORMAT parquet, COMPRESSION uncompressed, PARTITION_BY (chunk))"
        )
        numbers = sorted(int(folder.name.removeprefix("chunk=")) for folder in chunks.iterdir())
        self._run(partial(_make_chunk, make), ((number, chunks / f"chunk={number}") for number in numbers))

    def _run(self, work: Callable[[Any], None], items: Iterable[Any]) -> None:
        with process_pool(self.jobs, TABLES) as pool:
            for _ in pool.map(work, items):
                pass

    def _run_sql(self, statement: str) -> None:
        """Runs a statement about the view `lines` in a process of its own, whose memory is free afterwards."""
        with process_pool(1, TABLES) as pool:
            pool.submit(_execute, statement, self.scratch, self.jobs).result()


def _write_lines(read: ReadLines, place: tuple[Path, tuple[str, Path]]) -> None:
    target, file = place
    parquet.write_table(read(file), target)


def _make_chunk(make: MakeTables, place: tuple[int, Path]) -> None:
    number, folder = place
    make(number, parquet.read_table(folder))


def _execute(statement: str, scratch: Path, threads: int) -> None:
    settings: dict[str, Any] = {"memory_limit": MEMORY, "threads": threads, "temp_directory": f"{scratch}/spilled"}
    with duckdb.connect(config=settings) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"CREATE VIEW lines AS FROM '{scratch}/{LINES}/*.parquet'")
        connection.execute(statement)
