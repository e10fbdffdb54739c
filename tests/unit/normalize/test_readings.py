"""Columns of texts: read just as single texts are, only faster; what stops the build."""

from __future__ import annotations

import time

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.base.paths import Paths
from pipeline.normalize.readings import READ, read_column
from pipeline.normalize.text import Reading, read_text
from pipeline.registry.fields import Field, field_registry
from pipeline.registry.schema import load_schemas
from pipeline.registry.vocabularies import load_vocabularies
from traincompute.units.table import UNITS

VOCABULARIES = load_vocabularies(Paths())
NUMBERS = {unit: Field("number", unit, "", True) for unit in sorted(UNITS)}
MODELS = field_registry(load_schemas(Paths()), VOCABULARIES, ["models"])
DATE = "models.publication_date"
PARTS = [
    *"0123456789.,-/ eE+^x×±~<>$%²３",
    "10^",
    "M",
    "GB",
    "flop",
    " to ",
    "at least ",
    "tokens",
    "2024",
    "May",
    "T0:00Z",
]
TEXTS = st.text(max_size=250) | st.lists(st.sampled_from(PARTS), max_size=20).map("".join)


def column(texts: list[str], key: str, fields: dict[str, Field], day_first: object = False) -> pd.DataFrame:
    rows = pd.DataFrame({"key": key, "value_text": pd.Series(texts, dtype="str"), "day_first": day_first})
    return read_column(rows, fields, VOCABULARIES)


def readings(table: pd.DataFrame) -> list[Reading]:
    return [Reading(*row) for row in table.astype(object).where(table.notna(), None).itertuples(index=False)]


@given(st.lists(st.tuples(TEXTS | st.floats(0, 1e30).map(repr), st.sampled_from(sorted(UNITS))), max_size=8))
@example([("0", "item"), ("0.0", "token"), ("< 0", "1"), ("3 GB", "byte"), ("1.4T tokens", "token")])
def test_a_column_of_numbers_agrees_with_single_texts(rows: list[tuple[str, str]]) -> None:
    texts = pd.Series([text for text, _ in rows], dtype="str")
    keys = pd.Series([unit for _, unit in rows], dtype="str")
    table = read_column(pd.DataFrame({"key": keys, "value_text": texts, "day_first": False}), NUMBERS, VOCABULARIES)
    assert readings(table) == [read_text(NUMBERS[unit], text, VOCABULARIES) for text, unit in rows]


@given(st.lists(st.tuples(TEXTS | st.dates().map(str), st.booleans()), max_size=8))
@example([("1939-12-31", False), ("2100-12-31", False), ("2101-01-01", True), ("2022-02-30", False)])
def test_a_column_of_dates_agrees_with_single_texts(rows: list[tuple[str, bool]]) -> None:
    table = column([text for text, _ in rows], DATE, MODELS, pd.Series([first for _, first in rows], dtype="bool"))
    assert readings(table) == [read_text(MODELS[DATE], text, VOCABULARIES, day_first=first) for text, first in rows]


@pytest.mark.parametrize(
    ("field", "texts"),
    [
        ("open_weights", ["true", "No", "perhaps", "2022-01-01", "5"]),
        ("country", ["France", "France, Germany", "Atlantis", "5"]),
        ("approach", ["Supervised", "5", "2022-01-01"]),
    ],
)
def test_a_column_of_words_agrees_with_single_texts(field: str, texts: list[str]) -> None:
    key = f"models.{field}"
    assert readings(column(texts, key, MODELS)) == [read_text(MODELS[key], text, VOCABULARIES) for text in texts]


def test_a_column_keeps_its_index() -> None:
    texts = pd.Series(["1.4T tokens", "5", "", "0"], index=[7, 3, 3, 1], dtype="str")
    rows = pd.DataFrame({"key": "token", "value_text": texts, "day_first": False})
    table = read_column(rows, NUMBERS, VOCABULARIES)
    assert list(table.index) == [7, 3, 3, 1]
    assert list(table["reason"]) == ["", "", "empty", "zero"]
    assert list(table["value"][:2]) == [1.4e12, 5.0]


def test_a_column_keeps_the_precision_of_its_dates() -> None:
    table = column(["May 2024", "2024-05-13", "", "2024-02-30"], DATE, MODELS)
    assert list(table["note"]) == ["month", "day", "", ""]
    assert list(table["code"]) == ["2024-05-01", "2024-05-13", "", ""]
    assert list(table["reason_code"]) == ["", "", "no_value", "not_a_date"]


def test_an_empty_column_gives_an_empty_table() -> None:
    table = column([], "token", NUMBERS)
    assert table.dtypes.astype(str).to_dict() == READ


def test_a_unit_that_is_not_in_the_table_is_an_error_of_the_schema() -> None:
    with pytest.raises(LookupError, match="furlong"):
        column(["5"], "far", {"far": Field("number", "furlong", "", True)})


@given(st.floats(min_value=5e-324, allow_nan=False, allow_infinity=False))
@example(2.4999999999999997e24)
@example(355e9)
def test_the_shortest_form_of_a_float_comes_back_exactly(value: float) -> None:
    assert column([repr(value)], "FLOP", NUMBERS)["value"].item() == value


def test_a_long_column_is_read_fast() -> None:
    """The whole fact file has some 1e5 cells; ten times as many must not be noticeable (0.4 s measured)."""
    texts = [repr(3.1 * n) for n in range(1, 1001)] * 200 + ["1.4T tokens"] * 2000
    started = time.process_time()
    table = column(texts, "token", NUMBERS)
    assert time.process_time() - started < 2
    assert table["value"].notna().all()
