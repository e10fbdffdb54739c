"""Frames in the shape of a schema, and as Arrow tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from pipeline import frames
from pipeline.errors import DataError
from pipeline.normalize import columns
from pipeline.schema import Column, TableSchema

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
CELLS = {"tags": ["b;a", ""], "id": ["y", "x"], "size": [THIRD, 2.0], "count": LARGE, "is_open": [True, None], "odd": 1}
ROWS = pd.DataFrame(CELLS, index=[7, 7])


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
    assert table.schema.field("size").metadata == about
    pd.testing.assert_frame_equal(frames.from_arrow(table, TABLE), made)


def test_a_table_that_cannot_be_read_is_refused_with_what_is_to_be_done(tmp_path: Path) -> None:
    file, made = tmp_path / "files.parquet", frames.conform(ROWS, TABLE)
    parquet.write_table(frames.to_arrow(made, TABLE), file)
    pd.testing.assert_frame_equal(frames.load_frame(file, "files.parquet", TABLE, "build it"), made)
    file.write_bytes(b"PAR1 cut\nPAR1")
    with pytest.raises(DataError, match=r"^files\.parquet: cannot be read: [^\n]+ [^\n]+; build it$"):
        frames.load_frame(file, "files.parquet", TABLE, "build it")


def test_each_text_gets_its_value_and_an_unknown_one_none() -> None:
    texts = pd.Series(["a", "b", None, "a", "c"], index=[3, 1, 4, 0, 9], dtype="str")
    found = frames.mapped(texts, {"a": "one", "b": "two"}, "str")
    assert found.index.tolist() == texts.index.tolist()
    assert found.fillna("-").tolist() == ["one", "two", "-", "one", "-"]
    items, places = frames.items_of(pd.Series(["a;b", None, "b"], index=[7, 8, 9], dtype="str"))
    assert (items.tolist(), places.tolist()) == (["a", "b", "b"], [0, 0, 2])
    increasing = [frames.is_increasing(pd.Series(list(word), dtype="str")) for word in ("ab", "aa", "ba", "acb", "")]
    assert increasing == [True, False, False, False, True]


@given(st.lists(st.floats(min_value=-1e40, max_value=1e40, allow_nan=False), max_size=20))
def test_what_was_rounded_is_the_nearest_decimal_and_stays_as_it_is(values: list[float]) -> None:
    once = frames.significant(np.array(values, dtype="float64"))
    assert once.tolist() == [float(f"{value:.12g}") for value in once.tolist()]
    assert frames.significant(once).tolist() == once.tolist()
    assert once.tolist() == pytest.approx(values, rel=1e-11)


def test_a_join_refuses_a_null_in_its_key_on_either_side() -> None:
    whole = pd.DataFrame({"model_id": ["a", "b"], "field": ["x", "y"]}).astype("str")
    assert len(columns.joined(whole, whole, ["model_id", "field"])) == 2
    for left, right in ((whole, whole.replace("b", None)), (whole.replace("y", None), whole)):
        with pytest.raises(ValueError, match=r"null in the key (model_id|field): leave out"):
            columns.joined(left, right, ["model_id", "field"])
