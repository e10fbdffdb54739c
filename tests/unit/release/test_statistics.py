"""What a Parquet or DuckDB file says of its columns, held against its rows; files that lie are in tests/faults/test_poisoned.py."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from hostile_releases import make_hostile
from pyarrow import parquet

from traincompute.verification import statistics
from traincompute.verification.statistics import (
    SEGMENTS,
    Extremes,
    _stretches,
    database_fault,
    extremes,
    parquet_fault,
)

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


def test_rows_are_told_by_the_stretches_that_the_database_states_ends_of() -> None:
    # of the second row group the second stretch goes on where another segment has ended before
    stretches = [(0, 0, 4), (0, 4, 2), (1, 0, 3), (1, 3, 3), (2, 0, 1)]
    parts = _stretches(stretches, pa.chunked_array([range(13)]))
    assert [part.to_pylist() for part in parts] == [[0, 1, 2, 3], [4, 5], [6, 7, 8], [9, 10, 11], [12]]


class Asked:
    """A connection that remembers what it is asked."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection, self.queries = connection, list[str]()

    def execute(self, query: str) -> duckdb.DuckDBPyConnection:
        self.queries.append(query)
        return self.connection.execute(query)


def test_the_ends_of_every_stretch_are_asked_for(
    table: pa.Table, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statistics, "TOGETHER", 7)
    with parquet.ParquetFile(file) as read, filled(tmp_path / "rows.duckdb", table) as connection:
        asked = Asked(connection)
        assert database_fault(asked, "rows", read) == ""  # type: ignore[arg-type]
        stated = connection.execute(SEGMENTS.format(table="'rows'")).fetchall()
    filters = " union all ".join(asked.queries)
    starts = {"number": 0, "day": 0}
    for name, _, _, count in sorted(stated, key=lambda row: row[1:]):
        if name in starts:
            rows = table[name].slice(starts[name], count)
            starts[name] += count
            for end in extremes(rows)[:2]:
                literal = f"{end!r}::double" if name == "number" else f"date '{end}'"
                assert f'"{name}" = {literal})' in filters
    assert starts == {"number": ROWS, "day": ROWS}
    assert max(query.count(" union all ") for query in asked.queries) == 7 - 1
    assert {f'"{name}" is {word})' for name in table.column_names for word in ("null", "not null")} <= {
        part.partition("where ")[2] for part in filters.split(" union all ")
    }


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("parquet_whose_largest_value_is_said_to_be_small", "says the least or largest value of training_compute_flop"),
        ("parquet_whose_empty_cells_are_miscounted", "says the least or largest value of training_compute_flop"),
        ("parquet_with_bytes_that_are_of_no_column", "has bytes that are of none of its columns"),
    ],
)
def test_a_parquet_file_that_does_not_say_what_it_holds(sound: Path, tmp_path: Path, name: str, fault: str) -> None:
    path = make_hostile(sound, tmp_path, name, 1) / "models.parquet"
    with parquet.ParquetFile(path) as read:
        assert parquet_fault(path, read).startswith(fault)


NUMBERS = pa.table({"number": [1.0, 2.0]})


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        (NUMBERS.slice(0, 0), ""),
        (NUMBERS.replace_schema_metadata({"title": "Numbers"}), ""),
        (NUMBERS.replace_schema_metadata({"x" * 51: "a", "y": "a"}), f"says of itself what no release says: '{'x' * 50}'"),
        (pa.table({"both": [{"a": 1, "b": 2}]}), "has bytes that are of none of its columns"),
    ],
)  # fmt: skip
def test_a_parquet_file_has_plain_columns_and_says_nothing_else(tmp_path: Path, table: pa.Table, fault: str) -> None:
    parquet.write_table(table, tmp_path / "a.parquet")
    with parquet.ParquetFile(tmp_path / "a.parquet") as read:
        assert parquet_fault(tmp_path / "a.parquet", read) == fault


def test_a_byte_before_the_columns_is_of_none_of_them(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(NUMBERS, path, compression="none", use_dictionary=False)
    content = path.read_bytes()
    end = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    about = content[end:].replace(b"\x26\x08", b"\x26\x0a")  # the column starts at 5, not 4; Thrift writes the double
    path.write_bytes(content[:4] + b"x" + content[4:end] + about)
    with parquet.ParquetFile(path) as read:
        assert read.read() == NUMBERS  # who reads the rows alone notices nothing
        assert parquet_fault(path, read) == "has bytes that are of none of its columns"
