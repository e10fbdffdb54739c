"""Arrow files between the steps of a build in chunks: a table in several batches, of which one is read at a time."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
from pyarrow import ipc


def write_parts(data: pa.Table, starts: Iterable[int], file: Path) -> None:
    """Writes a table in parts, given the row at which each part but the first begins."""
    with ipc.new_file(file, data.schema) as target:
        for start, end in pairwise([0, *starts, data.num_rows]):
            some = data.slice(start, end - start).combine_chunks().to_batches()
            target.write_batch(some[0] if some else pa.RecordBatch.from_pylist([], data.schema))


def read_part(file: Path, part: int) -> pa.RecordBatch:
    """A part of a table that `write_parts` wrote."""
    with pa.memory_map(str(file)) as source:
        return ipc.open_file(source).get_batch(part)
