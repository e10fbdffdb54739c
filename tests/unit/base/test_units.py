"""Numbers and units: what is read, what is noted, what is refused, and with which remedy."""

from __future__ import annotations

import time
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.paths import Paths
from pipeline.vocabularies import load_vocabularies
from traincompute.units.grammar import Quantity, parse_quantity
from traincompute.units.table import FLOP_PER_PFS_DAY, UNITS, UnitError

KINDS = load_vocabularies(Paths())["reasons"].codes


def refusal(text: str, unit: str) -> UnitError:
    with pytest.raises(UnitError) as caught:
        parse_quantity(text, unit)
    assert caught.value.code in KINDS
    return caught.value


PLAIN = [
    # forms of the numeric columns of Epoch AI's files (2022-05-03: 4.00E+01; 2026: 1400000000000.0, 355e9)
    ("1400000000000.0", 1.4e12),
    ("1.4e12", 1.4e12),
    ("4.00E+01", 40.0),
    ("355e9", 355000000000.0),
    ("2.4999999999999997e+24", 2.4999999999999997e24),
    (".5", 0.5),
    ("+5", 5.0),
    (" 7 \n", 7.0),
]


@pytest.mark.parametrize(("text", "value"), PLAIN)
def test_plain_number_is_read_without_a_note(text: str, value: float) -> None:
    assert parse_quantity(text, "FLOP") == Quantity(value, None, None, "")


CONVERTED = [
    ("1,000", "item", 1000.0),
    ("1,234,567.5", "item", 1234567.5),
    ("10^25", "FLOP", 1e25),
    ("3.14 × 10^23", "FLOP", 3.14e23),
    ("2·10^24", "FLOP", 2e24),
    ("1.5 x 10²³", "FLOP", 1.5e23),
    ("１７５", "parameter", 175.0),
    ("1.4T tokens", "token", 1.4e12),
    ("175 billion parameters", "parameter", 175e9),
    ("46.2%", "1", 0.462),  # PaLM 540B's MFU [Chowdhery et al. 2022, arXiv:2204.02311, table 3]
    ("$29827341.92", "USD", 29827341.92),  # a cell of the 2023 Epoch file
    ("$1.00E+06", "USD", 1e6),
    ("16GB", "byte", 16e9),  # cells of the 2022-05-03 Epoch sheet
    ("2 TB/s", "byte/s", 2e12),
    ("400 Gbps", "bit/s", 4e11),
    ("1,287 MWh", "kWh", 1.287e6),  # GPT-3's energy [Patterson et al. 2021, arXiv:2104.10350, table 4]
    ("312 TFLOPS", "FLOP/s", 312e12),
    ("624 TOPS", "OP/s", 624e12),
    ("1e25 FLOP", "FLOP", 1e25),
    ("5 PFLOP", "FLOP", 5e15),
    ("3.5M GPU hours", "chip-hour", 3.5e6),
    ("12 TPU-days", "chip-hour", 288.0),
    ("826 mm²", "mm^2", 826.0),
    ("5,120-bit", "bit", 5120.0),
    ("54.2 billion", "million", 54200.0),  # transistors of the A100 [NVIDIA A100 white paper]
    ("0.6 epochs", "epoch", 0.6),
]


@pytest.mark.parametrize(("text", "unit", "value"), CONVERTED)
def test_converted_value_carries_a_note(text: str, unit: str, value: float) -> None:
    quantity = parse_quantity(text, unit)
    assert quantity[:3] == (value, None, None)
    assert quantity.note


# GPT-3 175B: 3,640 petaflop/s-days = 3.14e23 FLOP [Brown et al. 2020, arXiv:2005.14165, table D.1]
@pytest.mark.parametrize(
    "text",
    ["3640 petaflop/s-days", "3,640 PF-days", "3640 pfs days", "3640 PFLOP/s-days", "3.64K petaflop/s-day"],
)
def test_petaflop_per_second_days_are_flop(text: str) -> None:
    assert parse_quantity(text, "FLOP").value == 3640 * FLOP_PER_PFS_DAY
    assert parse_quantity(text, "FLOP").value == pytest.approx(3.14e23, rel=0.005)


@pytest.mark.parametrize(
    ("text", "unit", "note"),
    [
        ("3 months", "hour", '"months" = 730.5 hour'),
        ("1.4T tokens", "token", '"T tokens" = 1e+12 token'),
        ("312 TFLOP/s", "FLOP/s", '"TFLOP/s" = 1e+12 FLOP/s'),
        ("312 TFLOPs", "FLOP/s", '"TFLOPs" = 1e+12 FLOP/s; FLOPs taken as a rate'),
        ("1 second", "hour", '"second" = 0.0002777777778 hour'),  # ten digits of what has no end
        ("1e25 FLOPS", "FLOP", '"FLOPS" = 1 FLOP; FLOPS taken as an amount, not a rate'),
        ("１２", "item", "converted full-width digits"),
        ("about 5", "item", "approximate"),
        ("20,20", "item", "list of equal values"),
    ],
)
def test_note_says_what_was_converted(text: str, unit: str, note: str) -> None:
    assert parse_quantity(text, unit).note == note


@pytest.mark.parametrize("sign", [">", "≥", "at least ", "More than "])
def test_lower_bound_is_no_value(sign: str) -> None:
    assert parse_quantity(f"{sign}1e25", "FLOP") == Quantity(None, 1e25, None, "")


@pytest.mark.parametrize("sign", ["<", "≤", "at most ", "up to "])
def test_upper_bound_is_no_value(sign: str) -> None:
    assert parse_quantity(f"{sign}1e25", "FLOP") == Quantity(None, None, 1e25, "")


@pytest.mark.parametrize("sign", ["~", "approx. ", "about ", "c. ", "～"])
def test_approximate_value_is_noted(sign: str) -> None:
    assert parse_quantity(f"{sign}1e25", "FLOP") == Quantity(1e25, None, None, "approximate")


@pytest.mark.parametrize(
    ("text", "unit", "low", "high"),
    [
        ("1e24-3e24", "FLOP", 1e24, 3e24),
        ("1–3e24", "FLOP", 1e24, 3e24),
        ("1-3", "item", 1.0, 3.0),
        ("10–20 million", "token", 1e7, 2e7),
        ("$9M - $10M", "USD", 9e6, 1e7),
        ("45-50%", "1", 0.45, 0.5),
    ],
)
def test_range_has_ends_and_no_value(text: str, unit: str, low: float, high: float) -> None:
    assert parse_quantity(text, unit)[:3] == (None, low, high)


@pytest.mark.parametrize("text", ["5 ± 0.3", "5 +/- 0.3"])
def test_plus_minus_gives_value_and_ends(text: str) -> None:
    assert parse_quantity(text, "hour") == Quantity(5.0, 4.7, 5.3, "")


REFUSED = [
    ("", "token", "empty"),
    ("N/A", "token", "no value stated"),
    ("nan", "token", "not a finite number"),
    ("1e400", "FLOP", "too large or too small for a 64-bit float"),
    ("1e99999999", "FLOP", "too large or too small for a 64-bit float"),
    ("1e308 billion", "token", "too large or too small for a 64-bit float"),
    ("1e-400", "FLOP", "too large or too small for a 64-bit float"),
    ("-5", "token", "negative"),
    ("$-5", "USD", "negative"),
    ("0", "parameter", "zero"),
    ("> 0", "FLOP", "zero"),
    ("0.5 ± 0.6", "hour", "negative"),
    ("1_000", "token", "not a number"),
    ("1,5", "hour", "decimal comma"),
    ("0,462", "1", "decimal comma"),
    ("1 000 000", "token", "not a number"),
    ("0x1F", "token", "not a number"),
    ("1e5e5", "FLOP", "not a number"),
    ("twelve", "token", "not a number"),
    ("9" * 41, "token", "a number with more than 40 digits"),
    ("9" * 5000, "token", "longer than 200 characters"),
    ("2260275840,2290000001", "item", "several values in one cell"),  # dataset cells of the Epoch file
    (
        "160 (pretraining), ",
        "byte",
        'unknown unit "(pretraining),"',
    ),  # cells of the 2022-05-03 sheet
    ("0.25 (512px image, one TPUv3 core)", "item", 'unknown unit "(512px image, one TPUv3 core)"'),
    ("2①", "item", 'unknown unit "①"'),
    ("3e24-1e24", "FLOP", "a range that runs downwards"),
    ("> 1e24-3e24", "FLOP", "a bound and a range in one cell"),
    ("3M ± 1", "token", "unclear what the second number counts"),
    ("16GB", "parameter", '"GB" is a unit of byte, not of parameter'),
    ("1.4T tokens", "parameter", '"T tokens" is a unit of token, not of parameter'),
    ("300 billion words", "token", '"billion words" is a unit of a plain count, not of token'),
    ("1e25 FLOP/s", "FLOP", '"FLOP/s" is a unit of FLOP/s, not of FLOP'),
    ("$5", "token", '"$" is a unit of USD, not of token'),
    ("5 EUR", "USD", 'unknown unit "EUR"'),
]


@pytest.mark.parametrize(("text", "unit", "reason"), REFUSED)
def test_refusal_has_its_own_reason_and_a_remedy(text: str, unit: str, reason: str) -> None:
    error = refusal(text, unit)
    assert error.reason == reason
    assert error.remedy


@pytest.mark.parametrize(
    ("text", "unit", "remedy"),
    [
        ("1,5", "hour", 'write "1.5" if that is meant'),
        ("5 EUR", "USD", "write the number alone, in USD"),
        ("5 EUR", "item", "write the number alone"),
        (
            "512 TPU cores",
            "chip",
            "a core is not a chip (a TPU v2 or v3 chip has two): give the number of chips",
        ),
        ("16 B", "byte", 'B could mean bytes or billions: write "bytes" or "billion bytes"'),
    ],
)
def test_remedy_shows_what_to_write(text: str, unit: str, remedy: str) -> None:
    assert refusal(text, unit).remedy == remedy


def test_symbols_keep_their_case() -> None:
    """Mega is not milli, a byte is not a bit."""
    assert parse_quantity("5 MW", "W").value == 5e6
    refusal("5 mW", "W")
    assert parse_quantity("5 GBps", "byte/s").value == 5e9
    assert parse_quantity("5 Gbps", "bit/s").value == 5e9
    assert "bit/s" in refusal("5 Gb/s", "byte/s").reason


def test_list_is_read_only_where_it_repeats_one_value() -> None:
    assert parse_quantity("14180000,14180000", "item").value == 14180000.0
    assert parse_quantity("103000000,103000000", "token").value == 103000000.0
    refusal("103000000,103000001", "token")


def test_unit_that_is_not_in_the_table_is_an_error_of_the_schema() -> None:
    with pytest.raises(LookupError, match="furlong"):
        parse_quantity("5", "furlong")


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [  # SI brochure, 9th edition: tables 7 (prefixes) and 8 (hour, day, tonne); IEC 80000-13 (binary multiples)
        ("1 second", "hour", 1 / 3600),
        ("1 minute", "hour", 1 / 60),
        ("1 day", "hour", 24),
        ("1 week", "hour", 7 * 24),
        ("12 months", "hour", 365.25 * 24),
        ("1 H100-day", "chip-hour", 24),
        ("1 tonne", "kg", 1000),
        ("1 MWh", "kWh", 1000),
        ("3.6 MJ", "kWh", 1),
        ("1 kilowatt-hour", "kWh", 1),
        ("1 gigawatt hour", "kWh", 1e6),
        ("1 kW", "W", 1000),
        ("1 gigawatt", "W", 1e9),
        ("1 KiB", "byte", 1024),
        ("1 GiB", "byte", 1024**3),
        ("1 PiB", "byte", 1024**5),
        ("1 GiB/s", "byte/s", 1024**3),
        ("1 GBps", "byte/s", 1e9),
        ("1 Gbit/s", "bit/s", 1e9),
        ("1 GHz", "MHz", 1000),
        ("12 months", "year", 1),
        ("1 FLOP/s-day", "FLOP", 86_400),
        ("1 TFLOPS day", "FLOP", 8.64e16),
        ("1 quadrillion", "token", 1e15),
        ("1 pfs-day", "FLOP", 8.64e19),  # openai.com/index/ai-and-compute
        ("1 TFLOP/s", "FLOP/s", 1e12),
        ("1 yottaFLOP", "FLOP", 1e24),
        ("1 POPS", "OP/s", 1e15),
        ("54.2 billion transistors", "million", 54_200),
    ],
)
def test_factors_are_those_of_the_standards(text: str, unit: str, value: float) -> None:
    assert parse_quantity(text, unit).value == pytest.approx(value, rel=1e-15)


@given(st.floats(min_value=5e-324, allow_nan=False, allow_infinity=False))
@example(2.4999999999999997e24)
@example(355e9)
def test_shortest_form_of_a_float_comes_back_exactly(value: float) -> None:
    assert parse_quantity(repr(value), "FLOP") == Quantity(value, None, None, "")


AMOUNTS = st.integers(1, 10**6) | st.decimals(0, 999, places=3, allow_nan=False).filter(bool)


@given(AMOUNTS, st.sampled_from([(unit, word) for unit, spellings in UNITS.items() for word in spellings if word]))
def test_an_amount_in_any_spelling_is_the_exact_product_rounded_once(
    amount: int | Decimal, of: tuple[str, str]
) -> None:
    unit, spelling = of
    exact = Fraction(amount) * UNITS[unit][spelling]
    assert parse_quantity(f"{amount} {spelling}", unit).value == float(exact)
    assert parse_quantity(f"> {amount} {spelling}", unit)[:3] == (None, float(exact), None)
    assert parse_quantity(f"up to {amount} {spelling}", unit)[:3] == (None, None, float(exact))


@given(AMOUNTS, AMOUNTS)
def test_the_ends_of_a_range_and_of_a_tolerance_are_those_that_it_states(
    one: int | Decimal, other: int | Decimal
) -> None:
    low, high = sorted([one, other])
    assert parse_quantity(f"{low} – {high} GPU-days", "chip-hour")[:3] == (
        None,
        float(24 * Fraction(low)),
        float(24 * Fraction(high)),
    )
    if low < high:
        ends = Fraction(high) - Fraction(low), Fraction(high) + Fraction(low)
        assert parse_quantity(f"{high} ± {low} pfs-days", "FLOP")[:3] == tuple(
            float(end * 864 * 10**17) for end in (Fraction(high), *ends)
        )


SNIPPETS = [
    *"0123456789.,eE+-^x×±~<>$%/_ ()²３①",
    "10^",
    "M",
    "GB",
    "flop",
    "/s-days",
    " to ",
    "at least ",
    "tokens",
    "9" * 39,
]
TEXTS = st.text(max_size=250) | st.lists(st.sampled_from(SNIPPETS), max_size=30).map("".join)


@given(TEXTS, st.sampled_from(sorted(UNITS)))
def test_any_text_is_read_or_refused_with_a_reason(text: str, unit: str) -> None:
    try:
        quantity = parse_quantity(text, unit)
    except UnitError as error:
        explained = bool(error.reason and error.remedy) and error.code in KINDS
    else:
        numbers = [number for number in quantity[:3] if number is not None]
        explained = bool(numbers) and all(0 <= number < float("inf") for number in numbers)
    assert explained


@pytest.mark.parametrize(
    "text", ["9" * 5000, "1 " + "GPU-" * 49, "1 " + "ab " * 60, "- " * 100, "1 x 10^" + "9" * 40, "z" * 10**6]
)
def test_hostile_text_is_refused_in_bounded_time(text: str) -> None:
    started = time.process_time()
    refusal(text, "chip-hour")
    assert time.process_time() - started < 0.1
