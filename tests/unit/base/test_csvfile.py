"""CSV files that people keep: damaged ones are refused with their name."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.base.csvfile import read_rows
from pipeline.base.errors import DataError


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"a,b\n\xff,2\n",
            "a.csv:2: byte 0xff is not UTF-8; `git diff` shows what changed",
        ),
        (
            b"a,b\n\0,2\n",
            "a.csv:2: it contains a NUL byte; `git diff` shows what changed",
        ),
        (
            b'a,b\n"1,2\n',
            "a.csv:2: not well-formed: unexpected end of data; `git diff` shows what changed",
        ),
        (
            b"a,b\n1,2",
            "a.csv:2: the last line has no line break: the file may be cut; `git diff` shows what changed",
        ),
        (b"", "a.csv: the file is empty; `git diff` shows what changed"),
        (b"a,a\n1,2\n", 'a.csv:1: "a,a": wrong header; it must be a,b'),
        (b"a,b\n1,2,3\n", "a.csv:2 [1]: 3 cells; a line has 2 cells; quote a cell that contains a comma"),
        (b"a,b\n1\n", "a.csv:2 [1]: 1 cells; a line has 2 cells; quote a cell that contains a comma"),
    ],
)
def test_a_damaged_file_is_refused_with_the_line(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(content)
    with pytest.raises(DataError) as caught:
        read_rows(file, "a.csv", ["a", "b"])
    assert str(caught.value) == message


def test_lines_come_with_their_numbers_and_without_empty_ones(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text('a,b\n\n"1\n2",3\n4,\n')
    assert read_rows(file, "a.csv", ["a", "b"]) == [(4, ["1\n2", "3"]), (5, ["4", ""])]
