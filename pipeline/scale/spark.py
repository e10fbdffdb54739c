"""Spark as the engine, local or on a cluster: it reads and shuffles the lines, and runs the chunks in its workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from pipeline.base.errors import DataError, Problem
from pipeline.base.spark import spark_session
from pipeline.normalize.facts import COLUMNS
from pipeline.scale.engine import LINES, MakeTables, ReadLines

LINE = ", ".join(f"`{name}` STRING" for name in COLUMNS) + ", line BIGINT"
RAISED = "pipeline.base.errors.DataError: "


class Spark:
    """The engine that works below the folder `scratch` on the Spark of that master."""

    def __init__(self, scratch: Path, master: str) -> None:
        self.scratch, self.session = scratch, spark_session(master)

    def read_lines(self, read: ReadLines, files: Sequence[tuple[str, Path]]) -> None:
        places = self.session.createDataFrame(
            [(source, str(file)) for source, file in files], "source STRING, file STRING"
        )
        lines = places.repartition(len(files)).mapInArrow(_reader(read), LINE)
        with _data_errors():
            lines.write.parquet(str(self.scratch / LINES))
        self._lines().createOrReplaceTempView("lines")

    def query(self, sql: str, target: Path) -> None:
        parquet.write_table(self.session.sql(sql).toArrow(), target)

    def make_chunks(self, make: MakeTables, routes: Path) -> None:
        chunk_of = self.session.read.parquet(str(routes))
        chunks = pc.max(parquet.read_table(routes, columns=["chunk"])["chunk"]).as_py() + 1
        lines = self._lines().join(chunk_of, "record").repartitionByRange(chunks, "chunk")
        with _data_errors():
            lines.groupBy("chunk").applyInArrow(_maker(make), "chunk BIGINT").collect()

    def _lines(self) -> Any:
        return self.session.read.parquet(str(self.scratch / LINES))


def _reader(read: ReadLines) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def read_all(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                yield from read((row["source"], Path(row["file"]))).to_batches()

    return read_all


def _maker(make: MakeTables) -> Callable[[pa.Table], pa.Table]:
    def make_one(lines: pa.Table) -> pa.Table:
        number = lines["chunk"][0].as_py()
        make(number, lines)
        return pa.table({"chunk": [number]})

    return make_one


@contextmanager
def _data_errors() -> Iterator[None]:
    """Raises the DataError that a worker raised, as far as Spark hands it on: its text."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        _, _, said = str(error).partition(RAISED)
        if not said:
            raise
        lines = said.partition("\n\n")[0].splitlines()
        raise DataError(Problem(line, "", "", "", "", "") for line in lines) from error
