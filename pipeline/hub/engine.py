"""The engines that run the expressions: DuckDB on one machine, out of core, or Spark, local or on a cluster.

An engine opens the listing and the known models as ibis tables and writes an expression as Parquet.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import ibis
import ibis.expr.types as ir

from pipeline.base.errors import DataError, Problem
from pipeline.base.spark import spark_session
from pipeline.hub.estimates import SHAPE

MEMORY = "1GB"
DICTIONARIES = "DICTIONARY_SIZE_LIMIT 1000"  # texts that hardly repeat, such as ids, take more time and room with one
OPTIONAL = ("author", "trainingTokens")
DUCKDB_TYPES = {
    "string": "VARCHAR",
    "timestamp": "TIMESTAMP",
    "int64": "BIGINT",
    "float64": "DOUBLE",
    "array<string>": "VARCHAR[]",
    "struct<total: int64>": "STRUCT(total BIGINT)",
}
SPARK_TYPES = {
    "string": "STRING",
    "timestamp": "TIMESTAMP",
    "int64": "BIGINT",
    "float64": "DOUBLE",
    "array<string>": "ARRAY<STRING>",
    "struct<total: int64>": "STRUCT<total: BIGINT>",
}


class Engine(NamedTuple):
    """read(path) opens a listing, parquet(path) any Parquet file, write(table, path) writes a table, first(table) gives
    the first row as a dict."""

    read: Callable[[Path], ir.Table]
    parquet: Callable[[Path], ir.Table]
    write: Callable[[ir.Table, Path], None]
    first: Callable[[ir.Table], dict[str, Any]]


def open_engine(name: str, master: str, memory: str) -> Engine:
    """The engine of that name, duckdb or spark."""
    return duckdb_engine(memory) if name == "duckdb" else spark_engine(master)


def duckdb_engine(memory: str = MEMORY, threads: int | None = None) -> Engine:
    """DuckDB with limited memory; what does not fit is spilled to a temporary folder."""
    settings = {"memory_limit": memory, **({"threads": threads} if threads else {})}
    connection = ibis.duckdb.connect(**settings)
    connection.raw_sql("SET enable_progress_bar = false")  # it would mix with the output of a command

    def read(path: Path) -> ir.Table:
        if path.suffix == ".parquet":
            return as_listing(connection.read_parquet(str(path)), path)
        return connection.read_json(str(path), columns={name: DUCKDB_TYPES[kind] for name, kind in SHAPE.items()})

    def write(table: ir.Table, path: Path) -> None:
        sql = connection.compile(table)
        connection.raw_sql(f"COPY ({sql}) TO '{_quoted(path)}' (FORMAT parquet, COMPRESSION zstd, {DICTIONARIES})")

    def first(table: ir.Table) -> dict[str, Any]:
        row: dict[str, Any] = table.limit(1).to_pyarrow().to_pylist()[0]
        return row

    return Engine(read, lambda path: connection.read_parquet(str(path)), write, first)


def spark_engine(master: str = "local[2]") -> Engine:
    """Spark, given the URL of its master; a result is a folder of Parquet files."""
    session = spark_session(master)
    connection = ibis.pyspark.connect(session)

    views = itertools.count()

    def view(frame: Any) -> ir.Table:
        name = f"view_{next(views)}"
        frame.createOrReplaceTempView(name)
        return connection.table(name)

    def read(path: Path) -> ir.Table:
        if path.suffix == ".parquet":
            return as_listing(view(session.read.parquet(str(path))), path)
        shape = ", ".join(f"`{name}` {SPARK_TYPES[kind]}" for name, kind in SHAPE.items())
        return view(session.read.schema(shape).option("mode", "FAILFAST").json(str(path)))

    def frame(table: ir.Table) -> Any:
        return session.sql(str(ibis.to_sql(table, dialect="pyspark")))

    def write(table: ir.Table, path: Path) -> None:
        frame(table).write.mode("overwrite").option("compression", "zstd").parquet(str(path))

    def parquet(path: Path) -> ir.Table:
        return view(session.read.parquet(str(path)))

    return Engine(read, parquet, write, lambda table: frame(table).first().asDict())


def as_listing(table: ir.Table, path: Path) -> ir.Table:
    """A Parquet listing with the columns of SHAPE. Raises DataError if one is missing."""
    missing = [name for name in SHAPE if name not in table.columns and name not in OPTIONAL]
    if missing:
        expected = f"a listing has the columns {', '.join(SHAPE)}"
        raise DataError(Problem(str(path), "", name, "", "the column is missing", expected) for name in missing)
    columns = {name: table[name] if name in table.columns else ibis.null(kind) for name, kind in SHAPE.items()}
    total = ibis.struct({"total": columns.pop("safetensors")["total"].cast("int64")})
    return table.select(**{name: c.cast(SHAPE[name]) for name, c in columns.items()}, safetensors=total)


def write_listing(engine: Engine, source: Path, made: Callable[[ir.Table], ir.Table], target: Path) -> None:
    """Writes what is `made` of the records of a listing as Parquet. Raises DataError for a listing that is no such."""
    try:
        engine.write(made(engine.read(source)), target)
    except DataError:
        raise
    except Exception as error:  # each engine has its own errors for a line that is not a record
        reason = str(error).strip().splitlines()[0][:300]
        raise DataError([Problem(str(source), "", "", "", reason, "correct the line or the file")]) from error


def replace(fresh: Path, target: Path) -> None:
    """Replaces an older file or folder with a newly written one."""
    if target.is_dir():
        shutil.rmtree(target)
    fresh.replace(target)


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
