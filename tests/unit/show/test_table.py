"""Tables for people: aligned, within the terminal, and the same cells as Markdown."""

from __future__ import annotations

import pytest

from traincompute.show import table
from traincompute.show.table import (
    Column,
    clip,
    columns_wide,
    lay_out,
    markdown_lines,
    print_table,
    table_lines,
    text_width,
)

COLUMNS = (Column("model"), Column("flop", is_number=True), Column("note"))
ROWS = [["文心 4.0", "2e24", "a first note that is rather long for a narrow screen"], ["GPT-3", "3.14e23", ""]]


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, width: int | None) -> None:
    monkeypatch.setattr(table, "terminal_width", lambda: width)


def test_numbers_stand_to_the_right_and_wide_characters_keep_the_columns_straight() -> None:
    lines = table_lines(COLUMNS, ROWS)
    assert lines[0] == "model        flop  note"
    assert lines[2] == "GPT-3     3.14e23"
    assert {columns_wide(line[: line.index(mark)]) for line, mark in zip(lines, ("flop", "2e24"), strict=False)} == {13}


def test_nothing_is_cut_where_the_output_is_piped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_a_terminal(monkeypatch, None)
    print_table(COLUMNS, ROWS)
    shown = capsys.readouterr()
    assert shown.out.splitlines() == table_lines(COLUMNS, ROWS)
    assert ROWS[0][2] in shown.out
    assert shown.err == ""


def test_a_narrow_terminal_cuts_the_widest_column_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_a_terminal(monkeypatch, 40)
    print_table(COLUMNS, ROWS, indent="  ")
    shown = capsys.readouterr()
    assert max(map(columns_wide, shown.out.splitlines())) <= 40
    assert "3.14e23" in shown.out, "a narrow column is never cut before a wide one"
    assert "a first note that…" in shown.out
    assert shown.err == "Cells were cut; --json is complete\n"


def test_line_breaks_and_steering_characters_stay_out_of_a_row() -> None:
    (_, row) = table_lines((Column("a"),), [["one\ntwo\x1b[2J"]])
    assert row == "one two?[2J"


def test_markdown_has_the_same_cells_and_sides() -> None:
    assert list(markdown_lines(COLUMNS[:2], [["a|b\nc", "1"]])) == ["| model | flop |", "|---|---:|", "| a\\|b c | 1 |"]


def test_cells_are_limited_where_asked_for() -> None:
    layout = lay_out((Column("a"),), [["x" * 50]], most=48)
    assert layout.line(["x" * 50]) == "x" * 47 + "…"
    assert layout.cuts(["x" * 49])
    assert not layout.cuts(["x" * 48])


@pytest.mark.parametrize(
    ("natural", "width", "widths"),
    [
        ([10, 50, 30], 94, [10, 50, 30]),
        ([10, 50, 30], 93, [10, 49, 30]),
        ([10, 50, 30], 60, [10, 23, 23]),  # 10 + 23 + 23 and two gaps of two
        ([12, 11], 22, [10, 10]),
        ([20] * 44, 80, [10] * 6),  # ten signs each is the least; a seventh and its gap would make 82
        ([10, 10], 21, [10]),
        ([30], 20, [20]),
        ([5], 3, [5]),
    ],
)
def test_the_widest_columns_give_way_first_and_the_last_are_left_out(
    natural: list[int], width: int, widths: list[int]
) -> None:
    columns = [Column("a")] * len(natural)
    assert lay_out(columns, [["x" * size for size in natural]], width).widths == widths


@pytest.mark.parametrize(
    ("cell", "size", "shown"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd…"),
        ("abc def", 5, "abc…"),
        ("文心一言", 8, "文心一言"),
        ("文心一言", 7, "文心一…"),
        ("文心一言", 6, "文心…"),
        ("e\u0301e\u0301e", 2, "e\u0301…"),
    ],
)
def test_a_cell_is_cut_by_the_columns_of_the_screen(cell: str, size: int, shown: str) -> None:
    assert clip(cell, size) == shown
    assert columns_wide(shown) <= size


@pytest.mark.parametrize(("screen", "width"), [(None, 80), (30, 40), (41, 41), (99, 99), (120, 100)])
def test_running_text_is_neither_very_narrow_nor_very_wide(
    monkeypatch: pytest.MonkeyPatch, screen: int | None, width: int
) -> None:
    on_a_terminal(monkeypatch, screen)
    assert text_width(piped=80) == width
