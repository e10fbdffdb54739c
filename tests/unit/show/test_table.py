"""Tables for people: aligned, within the terminal, and the same cells as Markdown."""

from __future__ import annotations

import pytest

from traincompute.show import terminal
from traincompute.show.rows import clip, columns_wide, line_of, markdown_lines, widths_of


def test_numbers_stand_to_the_right_and_wide_characters_keep_the_columns_straight() -> None:
    rows = [["model", "flop", "note"], ["文心 4.0", "2e24", "a note\nof two lines\x1b[2J"], ["GPT-3", "3.14e23", ""]]
    widths, is_cut = widths_of(rows)
    assert [line_of(row, widths, [False, True, False]) for row in rows] == [
        "model        flop  note",
        "文心 4.0     2e24  a note of two lines\\x1b[2J",
        "GPT-3     3.14e23",
    ]
    assert not is_cut


@pytest.mark.parametrize(
    ("natural", "width", "widths"),
    [
        ([10, 50, 30], 94, [10, 50, 30]),
        ([10, 50, 30], 60, [10, 23, 23]),  # 10 + 23 + 23 and two gaps of two
        ([20] * 44, 80, [10] * 6),  # ten signs each is the least; a seventh and its gap would make 82
        ([5], 3, [5]),
        ([100, 20], None, [80, 20]),
    ],
)
def test_the_widest_columns_give_way_first_and_the_last_are_left_out(
    natural: list[int], width: int | None, widths: list[int]
) -> None:
    row = ["x" * size for size in natural]
    assert widths_of([row], width, most=80) == (widths, widths != natural)


@pytest.mark.parametrize(
    ("cell", "size", "shown"),
    [("abcdef", 6, "abcdef"), ("abc def", 5, "abc…"), ("文心一言", 7, "文心一…"), ("e\u0301e\u0301e", 2, "e\u0301…")],
)
def test_a_cell_is_cut_by_the_columns_of_the_screen(cell: str, size: int, shown: str) -> None:
    assert clip(cell, size) == shown
    assert columns_wide(shown) <= size


def test_markdown_has_the_same_cells_and_sides() -> None:
    lines = markdown_lines([["model", "flop"], ["a|b\nc", "1"]], [False, True])
    assert list(lines) == ["| model | flop |", "|---|---:|", "| a\\|b c | 1 |"]


@pytest.mark.parametrize(("screen", "width"), [(None, 100), (30, 40), (99, 99), (120, 100)])
def test_running_text_is_neither_very_narrow_nor_very_wide(
    monkeypatch: pytest.MonkeyPatch, screen: int | None, width: int
) -> None:
    monkeypatch.setattr(terminal, "terminal_width", lambda: screen)
    assert terminal.text_width() == width
