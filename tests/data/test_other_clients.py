"""The published files in Polars, pyarrow, pandas, SQLite."""

from __future__ import annotations

import csv
import sqlite3
from contextlib import closing
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.paths import Paths
from pipeline.schema import Column, load_schemas

POLARS = {"string": pl.String, "number": pl.Float64, "integer": pl.Int64, "boolean": pl.Boolean, "date": pl.Date}
ARROW = {
    "string": pa.string(),
    "number": pa.float64(),
    "integer": pa.int64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "list": pa.list_(pa.string()),
}
SQLITE = {"number": "REAL", "integer": "INTEGER"}


@pytest.mark.parametrize("table", sorted(load_schemas(Paths())))
def test_polars_gets_the_types_of_the_schema(published: Path, tables: dict[str, pd.DataFrame], table: str) -> None:
    frame = pl.read_parquet(published / f"{table}.parquet")
    wanted = {column.name: polars_type(column) for column in load_schemas(Paths())[table].columns}
    assert dict(frame.schema) == wanted
    assert frame.height == len(tables[table])


def polars_type(column: Column) -> pl.DataType | type[pl.DataType]:
    return pl.List(pl.String) if column.type == "list" else POLARS[column.type]


def test_pyarrow_has_units_and_meanings_with_the_fields(published: Path) -> None:
    for name, schema in load_schemas(Paths()).items():
        read = pq.read_schema(published / f"{name}.parquet")
        for column in schema.columns:
            said = {key.decode(): value.decode() for key, value in (read.field(column.name).metadata or {}).items()}
            assert said["description"], f"{name}.{column.name}"
            assert said.get("unit") == column.unit, f"{name}.{column.name}"


def test_pandas_keeps_the_types_on_arrow(published: Path, tables: dict[str, pd.DataFrame]) -> None:
    for name, schema in load_schemas(Paths()).items():
        frame = pd.read_parquet(published / f"{name}.parquet", dtype_backend="pyarrow")
        assert {c.name: frame[c.name].dtype.pyarrow_dtype for c in schema.columns} == {
            c.name: ARROW[c.type] for c in schema.columns
        }, name
        assert frame.notna().sum().to_dict() == tables[name].notna().sum().to_dict(), name


@pytest.mark.parametrize("table", ["models", "hardware", "organizations", "estimates"])
def test_sqlite_reads_the_csv_with_the_standard_library(
    published: Path, tables: dict[str, pd.DataFrame], table: str
) -> None:
    kinds = {column.name: SQLITE.get(column.type, "TEXT") for column in load_schemas(Paths())[table].columns}
    with (published / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == list(kinds)
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"create table t ({', '.join(f'{name} {kind}' for name, kind in kinds.items())})")
        database.executemany(
            f"insert into t values ({', '.join('?' * len(header))})", (blank_null(row) for row in rows)
        )
        for name, kind in kinds.items():
            told = tables[table][name]
            query = (
                f"select count({name}), min(typeof({name})), max(typeof({name})), max({name}) from t where {name} is"
                " not null"
            )
            count, least, most, largest = database.execute(query).fetchone()
            assert count == (told.notna() & (told.astype("str") != "")).sum(), name
            assert {least, most} <= {kind.lower(), None}, f"{name} {least} {most}"
            if kind != "TEXT" and count:
                assert largest == told.max(), name


def blank_null(row: list[str]) -> list[str | None]:
    return [cell or None for cell in row]
