"""What a name may be read as: without how the weights are shipped, without their form, and without a date."""

from __future__ import annotations

import pytest

from traincompute.names.readings import readings


def undated(words: str, own: str = "") -> dict[int, set[str]]:
    """The readings of a name by step."""
    found = readings(words, own)
    return {
        step: {reading.words for reading in found if reading.step == step} for step in {each.step for each in found}
    }


@pytest.mark.parametrize(
    ("words", "bare"),
    [
        ("yi 34b 200k", "yi 34b"),
        ("kimi k2 instruct base", "kimi k2"),
        ("deepchat", "deep"),
    ],
)
def test_how_it_is_shipped_and_of_what_kind_it_is_is_left_out(words: str, bare: str) -> None:
    assert bare in undated(words)[4]
    assert "" not in undated("x", " fp8")[4], "nothing is no reading"


@pytest.mark.parametrize(
    ("words", "bare", "year", "month"),
    [
        ("gpt 4o 2024 08 06", "gpt 4o", 2024, 8),
        ("gpt 4 0613", "gpt 4", None, 6),
        ("gpt 4 062023", "gpt 4", 2023, 6),
        ("kimi k2 2507", "kimi k2", 2025, 7),
        ("gemini pro may 2024", "gemini pro", 2024, 5),
        ("x 2507 2024 08 06", "x", 2024, 8),  # of two dates the last
    ],
)
def test_a_date_is_taken_off_and_remembered(words: str, bare: str, year: int | None, month: int) -> None:
    assert {reading[1:] for reading in readings(words, "") if reading.month} == {(bare, year, month)}
    assert {reading.step for reading in readings(words, "") if reading.month} == {4}
    shipped = {reading.words for reading in readings(f"{words} fp8", "") if reading.month}
    assert shipped == {bare, f"{bare} fp8"}
