"""What a build in chunks asks of an engine: to read, to query, to shuffle, and to run a function on each chunk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import pyarrow as pa

LINES = "lines"  # the folder with the facts of the whole ledger as Parquet, and the name of the view of them
ReadLines = Callable[[tuple[str, Path]], pa.Table]  # of a source and a file
MakeTables = Callable[[int, pa.Table], None]  # of the number of a chunk and its lines, with model_id and is_guest


class Engine(Protocol):
    """Where a build in chunks runs. What lies between two steps are files in one folder that all its processes see.
    What a function raises is raised."""

    def read_lines(self, read: ReadLines, files: Sequence[tuple[str, Path]]) -> None:
        """Makes the lines of all files the view `lines`."""

    def query(self, sql: str, target: Path) -> None:
        """Writes the result of a query of `lines` as one Parquet file."""

    def make_chunks(self, make: MakeTables, routes: Path) -> None:
        """Calls `make` for each chunk. `routes` says in which chunks the lines of each record are (`assign_chunks`)."""
