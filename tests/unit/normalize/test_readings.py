"""Columns of texts: read just as single texts are, only faster; what stops the build."""

from __future__ import annotations

import time
from contextlib import nullcontext
from datetime import date
from typing import Any

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from plain_source import source

from pipeline.errors import DataError
from pipeline.normalize.readings import READ, _plain, check_readable, read_column, read_texts, with_readings
from pipeline.normalize.text import Reading, read_text
from pipeline.paths import Paths
from pipeline.schema import Field, field_registry, load_schemas
from pipeline.vocabularies import load_vocabularies
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
        ("numerical_format", ["FP8", "Unknown", "FP8, FP16"]),
    ],
)
def test_a_column_of_words_agrees_with_single_texts(field: str, texts: list[str]) -> None:
    key = f"models.{field}"
    assert readings(column(texts, key, MODELS)) == [read_text(MODELS[key], text, VOCABULARIES) for text in texts]


def test_a_column_keeps_its_index() -> None:
    index = pd.Index([7, 3, 3, 1], name="key")  # whatever it is called
    texts = pd.Series(["1.4T tokens", "5", "", "0"], index, dtype="str")
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


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("1940-01-01", True),
        ("1939-12-31", False),
        ("2100-12-31", True),
        ("2101-01-01", False),
        ("2022-02-30", False),
        ("2022-05", False),
    ],
)
def test_a_whole_day_within_the_accepted_years_is_plain(text: str, plain: bool) -> None:
    rows = pd.DataFrame({"value_text": pd.Series([text, "5"], dtype="str")})
    found = _plain(rows, pd.Series(["date", "date"]))
    assert found[["code", "note"]].to_numpy().tolist() == ([[text, "day"]] if plain else [])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12.0),
        ("0.5", 0.5),
        ("1.5e+3", 1500.0),
        ("0", None),
        ("0.0", None),
        ("1e100", None),
        ("1e99", 1e99),
        ("< 3", None),
    ],
)
def test_a_number_above_zero_with_few_digits_is_plain(text: str, value: float | None) -> None:
    found = _plain(
        pd.DataFrame({"value_text": pd.Series([text, "2022-01-01"], dtype="str")}), pd.Series(["number"] * 2)
    )
    assert found["value"].tolist() == ([] if value is None else [value])
    assert found[["low", "high"]].isna().all(axis=None)


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


def fact(source_id: str, field: str, text: str, since: str = "2026-05-03", line: int = 2) -> dict[str, Any]:
    told = {"source_id": source_id, "record": "M", "field": field, "value_text": text}
    return told | {"since": pd.Timestamp(since), "file": f"{source_id}.csv", "line": line}


SOURCES = {"curated": source(adapter="curated"), "sheet": source(day_first_until=date(2022, 6, 1))}


def test_equal_texts_of_a_field_are_read_once_and_each_fact_has_its_reading() -> None:
    facts = pd.DataFrame(
        [
            fact("sheet", "parameters", "7e9"),
            fact("curated", "parameters", "7e9"),
            fact("sheet", "training_tokens", "7e9"),
            fact("curated", "publication_date", "May 2024"),
        ],
        index=pd.Index([5, 6, 7, 9], name="key"),
    )
    typed, read = read_texts(facts, MODELS, VOCABULARIES, SOURCES)
    assert (len(read), typed["subject"].tolist()) == (3, ["models"] * 4)
    joined = with_readings(typed, read)
    assert joined.index.tolist() == [5, 6, 7, 9]
    assert joined["value"].tolist()[:3] == [7e9] * 3
    assert joined["unit"].tolist() == ["parameter", "parameter", "token", ""]
    assert joined["code"].tolist()[3] == "2024-05-01"


def test_the_day_comes_first_in_what_a_source_wrote_before_the_day_on_which_it_changed() -> None:
    before, since = "2022-05-31", "2022-06-01"
    rows = [
        fact("sheet", "publication_date", "05/06/2019", before),
        fact("sheet", "publication_date", "05/06/2019", since),
        fact("curated", "publication_date", "05/06/2019", before),
        fact("sheet", "name", "05/06/2019", before),
    ]
    typed, read = read_texts(pd.DataFrame(rows), MODELS, VOCABULARIES, SOURCES)
    found = with_readings(typed, read)
    assert found["code"].tolist() == ["2019-06-05", "", "", "05/06/2019"]
    assert found["reason_code"].tolist() == ["", "ambiguous", "ambiguous", ""]


def test_a_field_that_no_schema_has_is_refused_once_for_each_file() -> None:
    rows = [fact("sheet", "colour", "red"), fact("sheet", "colour", "blue", line=3), fact("sheet", "parameters", "1")]
    with pytest.raises(DataError) as refused:
        read_texts(pd.DataFrame(rows), MODELS, VOCABULARIES, SOURCES)
    assert str(refused.value) == (
        'sheet.csv:2 [M]: colour "red": no such field; '
        "use a column of schemas/models.yml or a field of schemas/vocab/fields.yml"
    )


@pytest.mark.parametrize(
    ("source_id", "reason_code", "refused"),
    [
        ("curated", "", False),
        ("curated", "states_nothing", False),
        ("curated", "zero", True),
        ("sheet", "zero", False),
        ("sheet", "unknown_code", True),
    ],
)
def test_what_a_person_entered_must_be_readable_and_a_code_must_be_known_everywhere(
    source_id: str, reason_code: str, refused: bool
) -> None:
    row = fact(source_id, "parameters", "0") | {"reason_code": reason_code, "reason": "why", "remedy": "what to do"}
    with pytest.raises(DataError) if refused else nullcontext() as caught:
        check_readable(pd.DataFrame([row]), SOURCES)
    if refused:
        assert str(caught.value) == f'{source_id}.csv:2 [M]: parameters "0": why; what to do'
