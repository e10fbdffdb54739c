"""Columns of texts, read as single texts are."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import date
from typing import Any

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from plain_source import source

from pipeline.errors import DataError
from pipeline.normalize.parse import PARSED, check_readable, parse_texts, parse_values, with_values
from pipeline.normalize.text import ParsedValue, read_text
from pipeline.paths import Paths
from pipeline.schema import Field, field_registry, load_schemas
from pipeline.vocabularies import load_vocabularies
from traincompute.units import UNITS

VOCABULARIES = load_vocabularies(Paths())
NUMBERS = {unit: Field("number", unit, "", True) for unit in sorted(UNITS)}
MODELS = field_registry(load_schemas(Paths()), VOCABULARIES, ["models"])
DATE = "models.publication_date"
PARTS = [*"0123456789.,-/ eE+^x×±~<>$%²３", "10^", "M", "GB", "flop", " to ", "at least ", "tokens", "May", "T0:00Z"]
TEXTS = st.text(max_size=250) | st.lists(st.sampled_from(PARTS), max_size=20).map("".join)


def column(
    texts: list[str], keys: str | list[str], fields: dict[str, Field], day_first: object = False
) -> pd.DataFrame:
    rows = pd.DataFrame({"key": pd.Series(keys, range(len(texts)), dtype="str"), "value_text": texts})
    return parse_texts(rows.astype("str").assign(day_first=day_first), fields, VOCABULARIES)


def rows_of(table: pd.DataFrame) -> list[ParsedValue]:
    return [ParsedValue(*row) for row in table.astype(object).where(table.notna(), None).itertuples(index=False)]


@given(st.lists(st.tuples(TEXTS | st.floats(0, 1e30).map(repr), st.sampled_from(sorted(UNITS))), max_size=8))
@example([("0", "item"), ("0.0", "token"), ("< 0", "1"), ("3 GB", "byte"), ("1.4T tokens", "token"), ("1e99", "1")])
def test_a_column_of_numbers_agrees_with_single_texts(rows: list[tuple[str, str]]) -> None:
    rows = [(text, unit) for text, unit in rows if "00" not in text]  # see the digits that are left out
    table = column([text for text, _ in rows], [unit for _, unit in rows], NUMBERS)
    assert rows_of(table) == [read_text(NUMBERS[unit], text, VOCABULARIES) for text, unit in rows]
    assert table.dtypes.astype(str).to_dict() == PARSED


@given(st.lists(st.tuples(TEXTS | st.dates().map(str), st.booleans()), max_size=8))
@example(
    [("1939-12-31", False), ("2100-12-31", False), ("2101-01-01", True), ("2022-02-30", False), ("2022-05", False)]
)
def test_a_column_of_dates_agrees_with_single_texts(rows: list[tuple[str, bool]]) -> None:
    table = column([text for text, _ in rows], DATE, MODELS, pd.Series([first for _, first in rows], dtype="bool"))
    assert rows_of(table) == [read_text(MODELS[DATE], text, VOCABULARIES, day_first=first) for text, first in rows]


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("2.0001e+25", "FLOP", 2e25),  # Kimi K3 in Epoch AI's file of 2026-08-19, beside 2e25
        ("1.001e+25", "FLOP", 1e25),  # Inflection-2, whose note says that the second 1 is no figure
        ("at least 2.0000000001e+22", "FLOP", None),
        ("6.000010000000001e+24", "FLOP", 6e24),  # Amazon Nova Pro
        ("1.0773400001e+23", "FLOP", 1.07734e23),  # AlphaStar
        ("3.911001e+25", "FLOP", 3.911e25),  # Llama Nemotron Ultra 253B
        ("5.0000000000000004e+22", "FLOP", 5e22),  # Stable Diffusion, rounding
        ("215700000010000000000.00", "FLOP", 2.157e20),  # Discriminator Guidance in the file of 2023
        ("9.31627008e+22", "FLOP", 9.31627008e22),  # GPT-NeoX-20B, a product
        ("2006640000000000.0", "FLOP", 2.00664e15),
        ("7.004e+18", "FLOP", 7.004e18),
        ("16210006.0", "parameter", 16210006),
        ("10000001", "parameter", 10000001),
        ("247000000.00000003", "parameter", 247e6),
    ],
)
def test_digits_that_only_order_equal_values_are_not_read(text: str, unit: str, value: float | None) -> None:
    row = column([text], unit, NUMBERS).iloc[0]
    assert (row["value"] == value) if value else (row["low"] == 2e22)
    assert (row["note"] != "") == (text[:3] in ("2.0", "1.0", "at ", "6.0", "3.9", "5.0", "215", "247"))


def fact(source_id: str, field: str, text: str, since: str = "2026-05-03", line: int = 2) -> dict[str, Any]:
    cell = {"source_id": source_id, "record": "M", "field": field, "value_text": text}
    return cell | {"since": pd.Timestamp(since), "file": f"{source_id}.csv", "line": line}


SOURCES = {"curated": source(adapter="curated"), "sheet": source(day_first_until=date(2022, 6, 1))}


def parsed(rows: list[dict[str, Any]], index: list[int] | None = None) -> tuple[pd.DataFrame, pd.DataFrame]:
    facts, values = parse_values(pd.DataFrame(rows, index=index), MODELS, VOCABULARIES, SOURCES)
    return with_values(facts, values), values


def test_equal_texts_of_a_field_are_read_once_and_each_fact_has_its_value() -> None:
    rows = [("sheet", "parameters", "7e9"), ("curated", "parameters", "7e9"), ("sheet", "training_tokens", "7e9")]
    facts, values = parsed([fact(*row) for row in [*rows, ("curated", "publication_date", "May 2024")]], [5, 6, 7, 9])
    assert (len(values), facts["subject"].tolist(), facts.index.tolist()) == (3, ["models"] * 4, [5, 6, 7, 9])
    assert facts["value"].tolist()[:3] == [7e9] * 3
    assert facts["unit"].tolist() == ["parameter", "parameter", "token", ""]
    assert facts["code"].tolist()[3] == "2024-05-01"


def test_the_day_comes_first_in_what_a_source_wrote_before_the_day_on_which_it_changed() -> None:
    before, since = "2022-05-31", "2022-06-01"
    cells = [
        ("sheet", DATE, before),
        ("sheet", DATE, since),
        ("curated", DATE, before),
        ("sheet", "models.name", before),
    ]
    facts, _ = parsed([fact(name, key.split(".")[1], "05/06/2019", day) for name, key, day in cells])
    assert facts["code"].tolist() == ["2019-06-05", "", "", "05/06/2019"]
    assert facts["reason_code"].tolist() == ["", "ambiguous", "ambiguous", ""]


def test_a_field_that_no_schema_has_is_refused_once_for_each_file() -> None:
    rows = [fact("sheet", "colour", "red"), fact("sheet", "colour", "blue", line=3), fact("sheet", "parameters", "1")]
    with pytest.raises(
        DataError, match=r'^sheet\.csv:2 \[M\]: colour "red": no such field; use a column of'
    ) as refused:
        parsed(rows)
    assert len(refused.value.problems) == 1


@pytest.mark.parametrize("code", ["", "states_nothing", "no_bound", "zero", "after_snapshot", "unknown_code"])
def test_what_a_person_entered_must_be_readable_and_a_code_must_be_known_everywhere(code: str) -> None:
    for source_id, refused in (("curated", ("zero", "after_snapshot", "unknown_code")), ("sheet", ("unknown_code",))):
        row = fact(source_id, "parameters", "0") | {"reason_code": code, "reason": "why", "remedy": "what to do"}
        with pytest.raises(DataError, match="why; what to do") if code in refused else nullcontext():
            check_readable(pd.DataFrame([row]), SOURCES)
