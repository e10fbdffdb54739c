"""The cells of a workbook, and what is refused before and while they are read (the process itself: tests/faults)."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import Any

import pytest
from workbooks import packed, spreadsheet

from pipeline.base.errors import DataError
from pipeline.pull import workbook
from pipeline.pull.bounded import BoundedError


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What is asked of the bounded process, in whose place stands one that says "here"."""
    calls: list[tuple[Any, ...]] = []

    def bounded(*arguments: Any) -> Any:
        calls.append(arguments)
        if arguments[1] == b"damaged":
            raise BoundedError("it is damaged")
        return [["here"]]

    monkeypatch.setattr(workbook, "run_bounded", bounded)
    return calls


def announcing(*sizes: int) -> bytes:
    """An archive whose directory says that its members, which are empty, have these sizes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(len(sizes)):
            archive.writestr(f"{number}", "")
    content, place = bytearray(buffer.getvalue()), 0
    for size in sizes:
        place = content.index(b"PK\1\2", place + 1)
        struct.pack_into("<I", content, place + 24, size)
    return bytes(content)


@pytest.mark.parametrize("content", [bytes(20_000_000), announcing(60_000_000, 40_000_000)], ids=["large", "packed"])
def test_a_file_up_to_the_limits_is_read_in_a_process_of_half_a_minute_and_400_mb(
    asked: list[tuple[Any, ...]], content: bytes
) -> None:
    assert workbook.read_cells(content, "list.xls") == [["here"]]
    assert asked == [("pipeline.pull.workbook:first_sheet", content, (30, 400e6))]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (bytes(20_000_001), "larger than 20 MB"),
        (announcing(60_000_000, 40_000_001), "unpacks to 100 MB"),
        (announcing(4_294_499_999), "unpacks to 4294 MB"),
        (announcing(4_294_500_001), "unpacks to 4295 MB"),
        (b"PK but no archive", "damaged archive: File is not a zip file"),
    ],
    ids=["large", "packed", "rounded down", "rounded up", "cut"],
)
def test_a_file_beyond_them_is_not_read(asked: list[tuple[Any, ...]], content: bytes, reason: str) -> None:
    with pytest.raises(
        DataError, match=f"^list.xls: not a spreadsheet that can be read: {reason}; fetch the file again"
    ):
        workbook.read_cells(content, "list.xls")
    assert asked == []


def test_why_the_process_did_not_answer_is_said(asked: list[tuple[Any, ...]]) -> None:
    with pytest.raises(DataError, match="can be read: it is damaged; fetch"):
        workbook.read_cells(b"damaged", "list.xls")


def test_cells_of_the_first_sheet_are_numbers_truths_and_texts() -> None:
    truth = '<c t="b"><v>1</v></c><c t="d"><v>2024-11-18</v></c>'
    assert workbook.first_sheet(packed(f"<row><c><v>0.5</v></c>{truth}</row>")) == [[0.5, True, "2024-11-18"]]


def test_a_sheet_of_more_cells_than_may_be_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MOST_CELLS", 4)
    assert workbook.first_sheet(spreadsheet([[1, 2], [3, 4]])) == [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match="it has 2 rows of 3 cells"):
        workbook.first_sheet(spreadsheet([[1, 2, 3], [4, 5, 6]]))
