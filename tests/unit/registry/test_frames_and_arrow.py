"""Frames in the shape of a schema, as Arrow tables and back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.registry import frames
from pipeline.registry.schema import Column, TableSchema, load_schemas

COLUMNS = (
    Column("id", "string", "The key", constraints={"required": True}),
    Column("size", "number", "Its size", unit="byte", derived="from its files", claim="bytes"),
    Column("count", "integer", "How many"),
    Column("is_open", "boolean", "Whether it is open"),
    Column("day", "date", "When"),
    Column("tags", "list", "Words", example="a;b"),
)
TABLE = TableSchema("files", "Files", "One row per file.", ("id",), COLUMNS)
THIRD = 1.2345678901234567
LARGE = pd.array([2**53 + 1, None], dtype="Int64")  # no float is as exact
ROWS = pd.DataFrame(
    {
        "tags": ["b;a", ""],
        "id": ["y", "x"],
        "size": [THIRD, 2.0],
        "count": LARGE,
        "is_open": [True, None],
        "odd": 1,
    },
    index=[7, 7],
)


def test_a_frame_gets_the_columns_of_its_schema_in_their_order_sorted_by_the_key() -> None:
    made = frames.conform(ROWS, TABLE)
    assert made.columns.tolist() == [column.name for column in COLUMNS]
    assert made.dtypes.astype(str).tolist() == ["str", "float64", "Int64", "boolean", "datetime64[s]", "str"]
    assert made.index.tolist() == [0, 1]
    assert made["id"].tolist() == ["x", "y"]
    assert made.isna().sum().tolist() == [0, 0, 1, 1, 2, 1], "an empty text is none"
    assert frames.conform(made.set_axis([5, 6]), TABLE).index.tolist() == [0, 1], "also where nothing is to be sorted"
    assert made["size"].tolist() == [2.0, 1.23456789012], "twelve significant digits"
    assert frames.conform(ROWS, replace(TABLE, name="claims"))["size"].tolist() == [2.0, THIRD]
    empty = frames.empty_frame(TABLE)
    assert (len(empty), empty.dtypes.tolist()) == (0, made.dtypes.tolist())


def test_rows_are_sorted_by_all_columns_of_the_key_and_else_stay_as_they_were() -> None:
    rows = pd.DataFrame({"id": ["a", "b", "a", "a"], "count": [2, 1, 1, 1], "size": [1.0, 2.0, 3.0, 4.0]})
    made = frames.conform(rows, replace(TABLE, primary_key=("id", "count")))
    assert made[["id", "count", "size"]].to_numpy().tolist() == [["a", 1, 3], ["a", 1, 4], ["a", 2, 1], ["b", 1, 2]]
    assert made.index.tolist() == [0, 1, 2, 3]


def test_a_frame_comes_back_from_arrow_as_it_was() -> None:
    made = frames.conform(ROWS, TABLE)
    table = frames.to_arrow(made, TABLE)
    assert table["tags"].to_pylist() == [None, ["b", "a"]]
    assert table.schema.types == [pa.string(), pa.float64(), pa.int64(), pa.bool_(), pa.date32(), pa.list_(pa.string())]
    assert [field.nullable for field in table.schema] == [False, True, True, True, True, True]
    assert table.schema.metadata == {b"title": b"Files", b"description": b"One row per file.", b"primary_key": b"id"}
    about = {b"description": b"Its size", b"unit": b"byte", b"derived": b"from its files", b"claim": b"bytes"}
    assert [field.metadata for field in table.schema][:3] == [
        {b"description": b"The key"},
        about,
        {b"description": b"How many"},
    ]
    pd.testing.assert_frame_equal(frames.from_arrow(table, TABLE), made)


def test_a_table_that_cannot_be_read_is_refused_with_what_is_to_be_done(tmp_path: Path) -> None:
    file, made = tmp_path / "files.parquet", frames.conform(ROWS, TABLE)
    parquet.write_table(frames.to_arrow(made, TABLE), file)
    pd.testing.assert_frame_equal(frames.load_frame(file, "files.parquet", TABLE, "build it"), made)
    file.write_bytes(b"PAR1 cut\nPAR1")
    with pytest.raises(DataError, match=r"^files\.parquet: cannot be read: [^\n]+ [^\n]+; build it$"):
        frames.load_frame(file, "files.parquet", TABLE, "build it")
    file.unlink()
    with pytest.raises(DataError, match=r"^files\.parquet: the file is missing; build it$"):
        frames.load_frame(file, "files.parquet", TABLE, "build it")


def test_the_table_of_columns_has_a_row_for_each_in_its_place() -> None:
    made = frames.columns_frame({"files": TABLE, "columns": load_schemas(Paths())["columns"]})
    assert (made["table_name"] == "files").sum() == 6
    rows = made[made["table_name"] == "files"].set_index("column_name")
    assert rows["position"].to_dict() == {column.name: place for place, column in enumerate(COLUMNS, start=1)}
    assert rows["never_null"].tolist() == [name == "id" for name in rows.index]
    assert rows.loc["size", ["type", "unit", "derived", "claim"]].tolist() == [
        "number",
        "byte",
        "from its files",
        "bytes",
    ]
    assert rows.loc["tags", "example"] == "a;b"
    assert np.all(rows["vocab"].isna())
