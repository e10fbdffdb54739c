"""Numbers and units: what is read, what is noted, what is refused, and with which remedy."""

from __future__ import annotations

import time
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.paths import Paths
from pipeline.vocabularies import load_vocabularies
from traincompute.units import UNITS, Quantity, UnitError, parse_quantity

KINDS = load_vocabularies(Paths())["reasons"].codes


def refusal(text: str, unit: str) -> UnitError:
    with pytest.raises(UnitError) as caught:
        parse_quantity(text, unit)
    assert caught.value.code in KINDS
    return caught.value


@pytest.mark.parametrize(
    ("text", "value"),
    [  # forms of the numeric columns of Epoch AI's files (2022-05-03: 4.00E+01; 2026: 1400000000000.0, 355e9)
        ("1400000000000.0", 1.4e12),
        ("4.00E+01", 40.0),
        ("355e9", 355000000000.0),
        ("2.4999999999999997e+24", 2.4999999999999997e24),
        (".5", 0.5),
        ("+5", 5.0),
        (" 7 \n", 7.0),
    ],
)
def test_plain_number_is_read_without_a_note(text: str, value: float) -> None:
    assert parse_quantity(text, "FLOP") == Quantity(value, None, None, "")


@pytest.mark.parametrize(
    ("text", "unit", "value", "note"),
    [
        ("1,234,567.5", "item", 1234567.5, "thousands separators"),
        ("10^25", "FLOP", 1e25, "power of ten"),
        ("3.14 × 10^23", "FLOP", 3.14e23, "power of ten"),
        ("175 billion parameters", "parameter", 175e9, '"billion parameters" = 1e+09 parameter'),
        ("1.4T tokens", "token", 1.4e12, '"T tokens" = 1e+12 token'),
        ("46.2%", "1", 0.462, '"%" = 0.01'),  # PaLM 540B's MFU [Chowdhery et al. 2022, arXiv:2204.02311, table 3]
        ("$29827341.92", "USD", 29827341.92, '"$" = 1 USD'),  # a cell of the 2023 Epoch file
        ("1,287 MWh", "kWh", 1.287e6, 'thousands separators; "MWh" = 1000 kWh'),  # GPT-3 [arXiv:2104.10350, table 4]
        ("16GB", "byte", 16e9, '"GB" = 1e+09 byte'),  # a cell of the 2022-05-03 Epoch sheet
        ("312 TFLOPs", "FLOP/s", 312e12, '"TFLOPs" = 1e+12 FLOP/s'),
        ("3.5M GPU hours", "chip-hour", 3.5e6, '"M GPU hours" = 1e+06 chip-hour'),
        ("1 second", "hour", 1 / 3600, '"second" = 0.0002777777778 hour'),  # ten digits of what has no end
        ("54.2 billion", "million", 54200.0, '"billion" = 1000 million'),  # transistors [NVIDIA A100 white paper]
        ("about 5", "item", 5.0, "approximate"),
        ("20,20", "item", 20.0, "list of equal values"),
    ],
)
def test_what_is_converted_is_noted(text: str, unit: str, value: float, note: str) -> None:
    assert parse_quantity(text, unit) == Quantity(value, None, None, note)


@pytest.mark.parametrize(("sign", "place"), [(">", 1), ("at least ", 1), ("≤", 2), ("up to ", 2)])
def test_a_bound_is_no_value(sign: str, place: int) -> None:
    assert parse_quantity(f"{sign}1e25", "FLOP")[place] == 1e25
    assert parse_quantity(f"{sign}1e25", "FLOP").value is None


REFUSED = [
    ("", "token", "empty"),
    ("N/A", "token", "no value stated"),
    ("1e400", "FLOP", "too large or too small for a 64-bit float"),
    ("1e308 billion", "token", "too large or too small for a 64-bit float"),
    ("1e-400", "FLOP", "too large or too small for a 64-bit float"),
    ("$-5", "USD", "negative"),
    ("> 0", "FLOP", "zero"),
    ("1_000", "token", "not a number"),
    ("1 000 000", "token", "not a number"),
    ("1e5e5", "FLOP", "not a number"),
    ("1,5", "hour", "decimal comma"),
    ("9" * 5000, "token", "longer than 200 characters"),
    ("2260275840,2290000001", "item", "several values in one cell"),  # dataset cells of the Epoch file
    ("160 (pretraining), ", "byte", 'unknown unit "(pretraining),"'),  # a cell of the 2022-05-03 sheet
    ("1e24-3e24", "FLOP", "a range"),
    ("$9M - $10M", "USD", "a range"),
    ("512 TPU cores", "chip", '"TPU cores" are no chips'),
    ("16 B", "byte", 'unknown unit "B"'),  # bytes or billions
    ("16GB", "parameter", '"GB" is a unit of byte, not of parameter'),
    ("300 billion words", "token", '"billion words" is a unit of a plain count, not of token'),
    ("1e25 FLOP/s", "FLOP", '"FLOP/s" is a unit of FLOP/s, not of FLOP'),
    ("$5", "token", '"$" is a unit of USD, not of token'),
    ("5 mW", "W", 'unknown unit "mW"'),
    ("5 KB/s", "bit/s", '"KB/s"'),
]


@pytest.mark.parametrize(("text", "unit", "reason"), REFUSED)
def test_refusal_has_its_own_reason_and_a_remedy(text: str, unit: str, reason: str) -> None:
    error = refusal(text, unit)
    assert reason in error.reason
    assert error.remedy


def test_unit_that_is_not_in_the_table_is_an_error_of_the_schema() -> None:
    with pytest.raises(LookupError, match="furlong"):
        parse_quantity("5", "furlong")


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [  # SI brochure, 9th edition: tables 7 (prefixes) and 8 (hour, day, tonne)
        ("1 minute", "hour", 1 / 60),
        ("1 week", "hour", 7 * 24),
        ("12 months", "hour", 365.25 * 24),
        ("1 H100-day", "chip-hour", 24),
        ("1 tonne", "kg", 1000),
        ("1 GB/s", "byte/s", 1e9),
        ("12 months", "year", 1),
        ("1 TFLOP/s-day", "FLOP", 8.64e16),
        ("1 pfs-day", "FLOP", 8.64e19),  # openai.com/index/ai-and-compute
        ("3,640 PF-days", "FLOP", 3640 * 8.64e19),  # GPT-3 175B [Brown et al. 2020, arXiv:2005.14165, table D.1]
        ("3.64K petaflop/s-day", "FLOP", 3640 * 8.64e19),
    ],
)
def test_factors_are_those_of_the_standards(text: str, unit: str, value: float) -> None:
    assert parse_quantity(text, unit).value == pytest.approx(value, rel=1e-15)


AMOUNTS = st.integers(1, 10**6) | st.decimals(0, 999, places=3, allow_nan=False).filter(bool)


@given(AMOUNTS, st.sampled_from([(unit, word) for unit, spellings in UNITS.items() for word in spellings if word]))
def test_an_amount_in_any_spelling_is_the_exact_product_rounded_once(
    amount: int | Decimal, of: tuple[str, str]
) -> None:
    unit, spelling = of
    exact = Fraction(amount) * UNITS[unit][spelling]
    assert parse_quantity(f"{amount} {spelling}", unit).value == float(exact)
    assert parse_quantity(f"> {amount} {spelling}", unit)[:3] == (None, float(exact), None)


SNIPPETS = [*"0123456789.,eE+-^x×±~<>$%/_ ()²３①", "10^", "M", "GB", "flop", "/s-days", " to ", "at least ", "tokens"]
TEXTS = st.text(max_size=250) | st.lists(st.sampled_from(SNIPPETS), max_size=30).map("".join)


@given(TEXTS, st.sampled_from(sorted(UNITS)))
def test_any_text_is_read_or_refused_with_a_reason(text: str, unit: str) -> None:
    try:
        quantity = parse_quantity(text, unit)
    except UnitError as error:
        explained = bool(error.reason and error.remedy) and error.code in KINDS
    else:
        numbers = [number for number in quantity[:3] if number is not None]
        explained = len(numbers) == 1 and 0 <= numbers[0] < float("inf")
    assert explained


@pytest.mark.parametrize(
    "text", ["9" * 199, "1 " + "GPU-" * 49, "1 " + "ab " * 60, "- " * 100, "1 x 10^" + "9" * 40, "1," * 99]
)
def test_hostile_text_is_refused_in_bounded_time(text: str) -> None:
    started = time.process_time()
    refusal(text + "x", "chip-hour")
    assert time.process_time() - started < 0.1
