"""Single values as CSV, JSON, tables and sentences have them."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from math import inf, nan

import pytest

from traincompute.show.rows import exact, human, human_text, json_text, text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (True, "true"),
        (3.0, "3"),
        (3.14e23, "3.14e+23"),
        (["a", None, 1.25], "a;;1.25"),
        (b"x", "78"),
        ({"é": 1}, '{"é": 1}'),
        (date(2020, 5, 28), "2020-05-28"),
        (Decimal("1.50"), "1.50"),
    ],
)
def test_a_value_of_csv_is_exact(value: object, shown: str) -> None:
    assert exact(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"é": nan, "b": [inf, 1.5], "c": (1, None)}, '{"é": null, "b": [null, 1.5], "c": [1, null]}'),
        (
            [nan, Decimal("2"), Decimal("2.5"), datetime(2020, 5, 28)],
            '[null, 2, 2.5, "2020-05-28T00:00:00"]',
        ),
        ({(1, 2): {date(2020, 5, 28): "é"}}, '{"1;2": {"2020-05-28": "é"}}'),
    ],
)
def test_json_has_null_for_what_is_no_number_and_texts_for_what_it_does_not_know(value: object, shown: str) -> None:
    assert json_text(value) == shown


@pytest.mark.parametrize(
    ("value", "shown", "short"),
    [
        (2024, "2024", "2024"),
        (-9999.0, "-9999", "-9999"),
        (0.123456789, "0.123457", "0.1235"),
        (174.6e9, "174600000000", "174.6B"),
        (999_999_999_999_999.0, "999999999999999", "1000T"),
        (1e15, "1e+15", "1e15"),
        (3.14e23, "3.14e+23", "3.14e23"),
        (nan, "nan", "nan"),
        ([1.23456789, "b"], "1.23457;b", "1.235;b"),
        (Decimal("174600000000"), "174600000000", "174.6B"),
    ],
)
def test_a_table_has_six_digits_or_is_short_for_people(value: object, shown: str, short: str) -> None:
    assert (text(value), human_text(value)) == (shown, short)


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (True, None, "true"),
        (3.14159e23, "FLOP", "3.142e+23 FLOP"),
        (0.21345, "1", "21.34 %"),
        (5_101_234, "W", "5.101 MW"),
        (5e12, "W", "5000 GW"),
        (61_500, "byte", "61.5 kB"),
        (174_600_000_000, "parameter", "174.6B parameters"),
        (1, "day", "1 day"),
        (20, "token/parameter", "20 tokens/parameter"),
        (3, "petaflop/s-day", "3 petaflop/s-days"),
        (3, "tonne_of_co2", "3 tonnes of co2"),
        (3, "chip_hour", "3 chip hours"),
        (3, "USD", "3 USD"),
        (0.0001234, None, "0.0001234"),
        (999_999, None, "999,999"),
        (999_999_999, None, "1000M"),
        (-999_999_999_999, None, "-1000B"),
    ],
)
def test_a_value_for_people_has_four_digits_and_its_unit(value: object, unit: str | None, shown: str) -> None:
    assert human(value, unit) == shown
