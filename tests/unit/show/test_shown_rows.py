"""The rows of a query as a table, CSV, JSON and Markdown, and as Parquet beside nothing that is published."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from traincompute.base.errors import FileError
from traincompute.show.rows import Result, write, write_parquet

ROWS = [[("Möbius", 174.6e9, -5)], [("=1+1", None, 12), ("-a", 3.14e23, 7)]]


def result(*batches: list[tuple[Any, ...]]) -> Result:
    return Result(["name", "+flop", "n"], ["VARCHAR", "DOUBLE", "BIGINT"], iter(batches or ROWS))


def printed(capsys: pytest.CaptureFixture[str], form: str, human: bool = False) -> str:
    write(result(), form, human)
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_tables_are_exact_to_six_digits_or_short_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    head = "| name | +flop | n |\n|---|---:|---:|\n"
    assert printed(capsys, "markdown", human=True) == (
        f"{head}| Möbius | 174.6B | -5 |\n| =1+1 |  | 12 |\n| -a | 3.14e23 | 7 |\n"
    )
    write(result(), "table")
    assert capsys.readouterr() == (
        "name           +flop   n\n"
        "------  ------------  --\n"
        "Möbius  174600000000  -5\n"
        "=1+1                  12\n"
        "-a          3.14e+23   7\n",
        "",
    )


def test_columns_for_which_the_terminal_has_no_room_are_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("traincompute.show.rows.terminal_width", lambda: 8)
    write(result([("a", 1.0, 1)]), "table")
    assert capsys.readouterr() == ("name\n----\na\n", "1 of 3 columns fit; --csv and --json are complete\n")
    write(result([]), "table")
    assert capsys.readouterr() == ("name\n----\n", "1 of 3 columns fit; --csv and --json are complete\n")


def test_the_plan_of_a_query_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    plan = "┌─────┐\n│SCAN │" + " " * 80 + "│"
    write(Result(["explain_key", "explain_value"], ["VARCHAR"] * 2, iter([[("physical_plan", plan)]])), "table")
    assert capsys.readouterr().out == f"{plan}\n"


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
    write(Result(["a"], ["VARCHAR"], iter([[("文",)]])), "csv")
    assert stream.buffer.getvalue() == shown  # type: ignore[attr-defined]


def batches(*numbers: int) -> Result:
    def made() -> Iterator[pa.RecordBatch]:
        for number in numbers:
            if not number:
                raise OSError("the disk is gone")
            yield pa.RecordBatch.from_pydict({"n": [number]})

    return Result(["n"], ["BIGINT"], made())


@pytest.mark.parametrize("mode", [0o644, 0o200])
def test_parquet_has_every_batch_and_may_take_the_place_of_a_file(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "x.parquet"
    file.touch(mode)
    file.chmod(mode)
    write_parquet(batches(1, 2, 3), file)
    assert parquet.read_table(file)["n"].to_pylist() == [1, 2, 3]
    assert list(tmp_path.iterdir()) == [file]


def test_parquet_that_cannot_be_finished_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"x\.parquet cannot be written: the disk is gone"):
        write_parquet(batches(1, 0), tmp_path / "x.parquet")
    assert list(tmp_path.iterdir()) == []


def test_what_is_published_or_read_only_is_not_overwritten(tmp_path: Path) -> None:
    release, other = tmp_path / "v2026.11.0", tmp_path / "other"
    for folder in (release, other):
        folder.mkdir()
    (release / "manifest.json").touch()
    (release / "models.parquet").write_bytes(b"published")
    (other / "link.parquet").symlink_to(release / "models.parquet")
    (release / "link.parquet").symlink_to(other / "new.parquet")
    for file in (release / "models.parquet", other / "link.parquet", release / "link.parquet", release / "new.parquet"):
        with pytest.raises(FileError, match="belongs to a build or release, which does not change; name another file"):
            write_parquet(batches(1), file)
    for mode in (0o444, 0o555):
        (other / "mine.parquet").write_bytes(b"mine")
        (other / "mine.parquet").chmod(mode)
        with pytest.raises(FileError, match=r"mine\.parquet is read-only; name another file"):
            write_parquet(batches(1), other / "mine.parquet")
        (other / "mine.parquet").chmod(0o644)
    assert (release / "models.parquet").read_bytes() == b"published"
