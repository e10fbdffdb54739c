"""What a Parquet or DuckDB file says of its columns, held against its rows; files that lie are in tests/faults/test_poisoned.py."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet

from traincompute.verification.statistics import Extremes, database_fault, extremes, parquet_fault

ROWS = 150_000  # several row groups in the DuckDB file, and of its texts several stretches in each


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return pa.table(
        {
            "number": [None if n % 7 == 0 else n * 1.5 for n in range(ROWS)],
            "text": [f"it's {n % 9999}" for n in range(ROWS)],
            "day": [date(1950, 1, 1) + timedelta(days=n % 20_000) for n in range(ROWS)],
            "flag": [n % 3 == 0 for n in range(ROWS)],
            "items": [None if n % 2 else [str(n), "x"] for n in range(ROWS)],
            "nothing": pa.array([None] * ROWS, pa.float64()),
        }
    )


@pytest.fixture(scope="module")
def file(table: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("statistics") / "rows.parquet"
    parquet.write_table(table, path, row_group_size=50_000)
    return path


def filled(path: Path, table: pa.Table) -> duckdb.DuckDBPyConnection:
    with duckdb.connect(str(path)) as connection:
        connection.from_arrow(table).create("rows")
    return duckdb.connect(str(path), read_only=True)


def test_the_ends_of_a_column_are_those_of_what_is_in_it(table: pa.Table) -> None:
    assert extremes(table["number"]) == Extremes(1.5, 224_998.5, 21_429)
    assert extremes(pa.chunked_array([[["b", "a"], None]])) == Extremes("a", "b", 1)
    assert extremes(table["nothing"]) == Extremes(None, None, ROWS)


def test_honest_files_of_many_rows_are_believed(table: pa.Table, file: Path, tmp_path: Path) -> None:
    with parquet.ParquetFile(file) as read, filled(tmp_path / "rows.duckdb", table) as connection:
        assert parquet_fault(file, read) == ""
        assert database_fault(connection, "rows", read) == ""


@pytest.mark.parametrize("column", ["number", "text", "day", "flag", "items"])
def test_one_other_cell_in_the_database_is_missed(table: pa.Table, file: Path, tmp_path: Path, column: str) -> None:
    other = table[column].to_pylist()
    other[ROWS - 1] = {"number": 1e9, "text": "zz", "day": date(2100, 1, 1), "flag": None, "items": ["y"]}[column]
    changed = table.set_column(
        table.schema.get_field_index(column), column, pa.array(other, table.schema.field(column).type)
    )
    with parquet.ParquetFile(file) as read, filled(tmp_path / "rows.duckdb", changed) as connection:
        assert column in database_fault(connection, "rows", read)
