"""Which spellings of a figure, a word or a day agree."""

from datetime import date

import pytest

from pipeline.curate.printed import amounts, prints_date, prints_number, prints_words


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("12", 12),
        ("1.5k = 1.5 thousand", 1_500),
        ("3万", 30_000),
        ("1.5e3", 1_500),
        ("2m, 2mn, 2 million, 2百万", 2 * 10**6),
        ("3.4亿", 3.4e8),
        ("7b, 7bn, 7 billion", 7 * 10**9),
        ("2百亿", 2 * 10**10),
        ("2千亿", 2 * 10**11),
        ("15t, 15tn, 15 trillion, 15万亿, 15兆", 15 * 10**12),
        ("3 × 10^21", 3 * 10**21),
    ],
)
def test_a_number_has_the_size_that_its_scale_says(text: str, size: float) -> None:
    assert {one.size for one in amounts(text)} == {size}


@pytest.mark.parametrize("text", ["10^25", "10²⁵"])
def test_a_power_of_ten_may_stand_alone(text: str) -> None:
    assert [one.size for one in amounts(text)] == [10**25]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("nearly two months", "2 months"),
        ("with **32** billion active", "32B"),
        ("over $3.3 \\times 10^{21}$ FLOPs", "3.3e21 FLOP"),
        ("the 355B-A32B model", "32B"),
        ("| 7B | 1.2 | 83.4 |", "1.2T"),
        ("约 3.4 万亿 tokens", "3.4T tokens"),
        ("1,400K GPU hours", "1.4M"),
        ("10²⁵ FLOP", "1e25 FLOP"),
        ("(layers,7B,1.4T)", "1.4T"),
        ("size=base,300M", "300M"),
    ],
)
def test_spellings_that_agree(text: str, value: str) -> None:
    assert prints_number(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("table 2 has it", "2T"),
        ("36 layers", "36T"),
        ("14.8 billion", "14.8T"),
        ("version 114.8T", "14.8T"),
        ("4.14.8T", "14.8T"),
        ("8 of 64", "H100"),
    ],
)
def test_spellings_that_do_not(text: str, value: str) -> None:
    assert not prints_number(text, value)


def test_a_word_is_part_of_the_text_whatever_joins_its_letters() -> None:
    assert prints_words("trained on NVIDIA H-100s", "H100")
    assert not prints_words("trained on A100s", "H100")


def test_a_day_is_printed_with_year_month_and_day() -> None:
    assert prints_date("2024.12.26: we release", date(2024, 12, 26))
    assert prints_date("26th Dec 2024", date(2024, 12, 26))
    assert not prints_date("December 2024", date(2024, 12, 26))


@pytest.mark.parametrize(
    ("value", "locator", "is_so"),
    [
        ("38.4B", "256K × 150K", True),
        ("38400.15M", "256K × 150K + 150K", True),
        ("99B", "256K × 150K", False),  # another product
        ("51.2B", "256K × 200K", False),  # a factor that is not printed
        ("100M", "51K × 2K", True),  # 2 % more
        ("10B", "3401K × 3K", False),  # 2.03 % more
        ("batch", "256K × 150K", False),
    ],
)
def test_a_value_that_is_worked_out_has_its_parts_in_the_text(value: str, locator: str, is_so: bool) -> None:
    assert prints_number("| 256K | 150K | 51K | 2K | 3401K | 3K |", value, locator) is is_so
