"""Row 46 of the fault list: a workbook that asks for all memory, or is damaged, is one line; what is committed
stays."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from workbooks import packed, spreadsheet

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.pull import workbook
from pipeline.pull.snapshot import Request, pull_source
from pipeline.registry.sources import load_sources

Make = Callable[[], bytes]

# what is large is made where it is tried
CORNERS = partial(
    packed, '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
)


def wide() -> bytes:
    return packed("".join(f"<row>{'<c><v>1</v></c>' * 200}</row>" for _ in range(20_000)))


SOUND = spreadsheet([["Rank", "Name"], *([rank, f"system {rank}"] for rank in range(1, 30))])


@pytest.fixture
def raw(small: Paths) -> Paths:
    """A checkout with the source whose files are workbooks."""
    folder = small.raw / "top500"
    folder.mkdir()
    (folder / "source.yml").write_bytes((Paths().raw / "top500" / "source.yml").read_bytes())
    return small


def state(paths: Paths) -> dict[str, str]:
    files = (path for path in sorted(paths.root.rglob("*")) if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.parametrize("make", [CORNERS], ids=["two corners"])
def test_fault_46_a_workbook_that_asks_for_all_memory_is_one_line(raw: Paths, tmp_path: Path, make: Make) -> None:
    file = tmp_path / "TOP500_199411.xlsx"
    file.write_bytes(make())
    before = state(raw)
    with pytest.raises(DataError) as refused:
        pull_source(raw, load_sources(raw)["top500"], Request(files=(file,), update=True), lambda _: None)
    [line] = str(refused.value).splitlines()
    assert line.startswith(f"{file}: not a spreadsheet that can be read: ")
    assert state(raw) == before


def outcome(content: bytes) -> str:
    try:
        return f"{len(workbook.read_cells(content, 'list.xlsx'))} rows"
    except DataError as error:
        return str(error)


def test_fault_46_a_damaged_workbook_is_read_or_refused_in_one_line() -> None:
    chance, ends = random.Random(46), []
    for _ in range(8):
        content = bytearray(SOUND)
        for place in chance.sample(range(len(content)), 5):
            content[place] ^= chance.randrange(1, 256)
        ends.append(outcome(bytes(content)))
    assert outcome(SOUND) == "30 rows"
    assert all(len(end.splitlines()) == 1 for end in ends)
    assert any(end.startswith("list.xlsx: not a spreadsheet that can be read: ") for end in ends)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: b"PK" + bytes(30_000_000), "larger than 20 MB"),
        (lambda: packed("<row/>" * 20_000_000), "unpacks to 120 MB"),
        (lambda: b"PK\x03\x04 and no end", "damaged archive"),
        (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + random.Random(1).randbytes(5000), "can be read: "),
    ],
    ids=["large", "packed", "cut", "xls"],
)
def test_fault_46_what_a_workbook_announces_is_checked_first(make: Make, message: str) -> None:
    with pytest.raises(DataError, match=message):
        workbook.read_cells(make(), "list.xlsx")


def test_numbers_and_texts_are_read_as_they_stand() -> None:
    assert workbook.read_cells(spreadsheet([["Rank", "Rmax"], [1, 0.1], [2, 93014593.88]]), "list.xlsx") == [
        ["Rank", "Rmax"],
        [1.0, 0.1],
        [2.0, 93014593.88],
    ]
