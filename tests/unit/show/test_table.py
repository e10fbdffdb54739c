"""Tables for people: aligned, within the terminal, and the same cells as Markdown."""

from __future__ import annotations

import pytest

from traincompute.show import table
from traincompute.show.table import Column, columns_wide, lay_out, markdown_lines, print_table, table_lines
from traincompute.show.values import human, human_text

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


def test_columns_that_do_not_fit_at_all_are_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_a_terminal(monkeypatch, 22)
    print_table(COLUMNS, ROWS)
    assert capsys.readouterr().err == "2 of 3 columns fit; --json is complete\n"


def test_a_line_may_stand_below_each_row(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    on_a_terminal(monkeypatch, None)
    print_table(COLUMNS[:2], [row[:2] for row in ROWS], under=["   why 1", "   why 2"])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "model",
        "文心",
        "why",
        "GPT-3",
        "why",
    ]


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
    ("value", "shown"),
    [(None, ""), (2024, "2024"), (3.14e23, "3.14e23"), (174.6e9, "174.6B"), (0.12345, "0.1235"), (["a", "b"], "a;b")],
)
def test_a_value_of_a_table(value: object, shown: str) -> None:
    assert human_text(value) == shown


def test_sizes_of_files_have_prefixes() -> None:
    assert [human(size, "byte") for size in (7, 61_500, 12_345_678)] == ["7 bytes", "61.5 kB", "12.35 MB"]
