"""The rows of a query in each form, and files that appear complete and beside nothing that is published."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from traincompute.base.errors import FileError
from traincompute.show.rows import Result, print_rows, whole_file, write
from traincompute.show.terminal import open_streams

TABLE = """\
name           +flop   n
------  ------------  --
Möbius  174600000000  -5
=1+1                  12
-a          3.14e+23   7
"""
FORMS = {
    "table": TABLE,
    "csv": "name,'+flop,n\nMöbius,174600000000.0,-5\n'=1+1,,12\n'-a,3.14e+23,7\n",
    "json": """[
 {"name": "Möbius", "+flop": 174600000000.0, "n": -5},
 {"name": "=1+1", "+flop": null, "n": 12},
 {"name": "-a", "+flop": 3.14e+23, "n": 7}
]
""",
    "markdown": "| name | +flop | n |\n|---|---:|---:|\n| Möbius | 174600000000 | -5 |\n| =1+1 |  | 12 |\n"
    "| -a | 3.14e+23 | 7 |\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_of_the_rows_of_a_query(capsys: pytest.CaptureFixture[str], form: str) -> None:
    rows = [("Möbius", 174.6e9, -5), ("=1+1", None, 12), ("-a", 3.14e23, 7)]
    write(Result(["name", "+flop", "n"], iter(rows)), form)
    assert capsys.readouterr() == (FORMS[form], "")


def test_a_column_without_values_is_no_column_of_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    write(Result(["n", "note"], iter([(1, None), (2, None)])), "markdown")
    assert "|---:|---|" in capsys.readouterr().out


def test_rows_of_a_command_have_short_numbers_and_say_what_was_cut(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    print_rows([{"a": 3.14e23, "b": "x" * 81}, {"a": None, "b": "y"}], indent=" ", below=["first", "second"])
    rule, long = "-" * 81, "x" * 81
    assert capsys.readouterr() == (f"       a  b\n -------  {rule}\n 3.14e23  {long}\nfirst\n          y\nsecond\n", "")
    monkeypatch.setattr("traincompute.show.rows.terminal_width", lambda: 8)
    print_rows([{"name": "a", "flop": 1.0, "n": 1}])
    assert capsys.readouterr() == ("name\n----\na\n", "1 of 3 columns fit; --json is complete\n")
    print_rows([])
    assert capsys.readouterr().out == ""


class Stream(io.TextIOWrapper):
    """Standard output in Latin-1, as a terminal or a pipe."""

    def __init__(self, terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding="latin-1")
        self.isatty = lambda: terminal  # type: ignore[method-assign]


@pytest.mark.parametrize(("terminal", "shown"), [(True, b"a\n?\n"), (False, "a\n文\n".encode())])
def test_a_pipe_gets_utf_8_and_a_terminal_what_it_can_show(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, shown: bytes
) -> None:
    monkeypatch.setattr(sys, "stdout", stream := Stream(terminal))
    open_streams()
    write(Result(["a"], [("文",)]), "csv")
    assert stream.buffer.getvalue() == shown  # type: ignore[attr-defined]


def test_a_file_that_cannot_be_finished_leaves_nothing(tmp_path: Path) -> None:
    def write_half() -> None:
        with whole_file(tmp_path / "x.csv") as work:
            work.write_text("half")
            raise OSError("the disk is gone")

    with pytest.raises(FileError, match=r"x\.csv cannot be written: the disk is gone"):
        write_half()
    assert list(tmp_path.iterdir()) == []
