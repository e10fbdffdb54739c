"""A file that is still arriving: when its rest is asked for, and which answer may continue it. What a server does is
tested in tests/faults/test_fetch.py and test_download.py."""

from __future__ import annotations

from io import FileIO
from pathlib import Path
from typing import Any

import pytest

from traincompute.network.parts import (
    MixedUpError,
    Part,
    TransientError,
    announced_length,
    usable,
    validator_of,
    write_all,
)

DAY = "Mon, 03 Jun 2024 10:00:00 GMT"
LENGTH = {"Content-Length": "10"}
TAGGED = {**LENGTH, "ETag": '"v1"', "Accept-Ranges": "Bytes"}
BEGINNING = b"Model"  # 5 bytes of 10


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.part"


def begun(path: Path, headers: dict[str, str], size: int | None = None, arrived: bytes = BEGINNING) -> Part:
    part = Part(path, size)
    part.begin(headers)
    path.write_bytes(arrived)
    return part


@pytest.mark.parametrize(
    ("headers", "size", "validator"),
    [
        (TAGGED, None, '"v1"'),
        ({**TAGGED, "Last-Modified": DAY}, None, '"v1"'),
        ({**TAGGED, "ETag": 'W/"v1"', "Last-Modified": DAY}, None, DAY),  # RFC 9110, 13.1.5: a weak one is none
        ({"ETag": '"v1"', "Accept-Ranges": "bytes"}, None, '"v1"'),  # of unknown length
        ({"ETag": '"v1"'}, 10, '"v1"'),  # an index gives size and hash: ranges are tried unannounced
        ({**LENGTH, "ETag": '"v1"'}, None, ""),
        ({**TAGGED, "ETag": 'W/"v1"'}, None, ""),
        ({**TAGGED, "ETag": "x" * 1000}, None, "x" * 1000),
        ({**TAGGED, "ETag": "x" * 1001}, None, ""),
        ({**LENGTH, "Accept-Ranges": "bytes"}, None, ""),
    ],
)
def test_the_rest_is_asked_for_where_the_server_can_tell_the_version(
    path: Path, headers: dict[str, str], size: int | None, validator: str
) -> None:
    wanted = {"Range": "bytes=5-", "If-Range": validator} if validator else {}
    assert begun(path, headers, size).rest() == wanted


@pytest.mark.parametrize(("arrived", "asked"), [(0, ""), (1, "bytes=1-"), (10, "bytes=10-"), (11, "")])
def test_nothing_and_too_much_start_again(path: Path, arrived: int, asked: str) -> None:
    assert begun(path, TAGGED, arrived=b"x" * arrived).rest().get("Range", "") == asked


def test_a_part_of_which_an_index_gives_the_size_is_continued_by_a_later_process(path: Path) -> None:
    begun(path, {"ETag": '"v1"', "Last-Modified": DAY}, 10)
    later = Part(path, 10)
    assert (later.etag, later.modified, later.arrived) == ('"v1"', DAY, 5)
    assert later.rest() == {"Range": "bytes=5-", "If-Range": '"v1"'}
    assert Part(path).rest() == {}


def test_a_part_without_an_index_leaves_no_note_of_its_version(path: Path) -> None:
    begun(path, TAGGED)
    assert not validator_of(path).exists()


def test_to_begin_is_to_start_at_zero_and_to_know_the_end(path: Path) -> None:
    part = Part(path)
    assert part.arrived == 0
    path.write_bytes(BEGINNING)
    assert part.begin(LENGTH) == part.total == 10
    assert part.arrived == 0
    assert Part(path, 10).begin({}) is None
    with pytest.raises(MixedUpError, match=r"^has 10 bytes, but 11 in the index$"):
        Part(path, 11).begin(LENGTH)


def span(text: str, **more: str) -> dict[str, str]:
    return {"Content-Range": text, "ETag": '"v1"', **more}


@pytest.mark.parametrize(("text", "end"), [("bytes 5-9/10", 10), ("bytes 5-5/10", 6), ("bytes 5-8/10", 9)])
def test_an_answer_that_continues_the_same_version_ends_where_it_says(path: Path, text: str, end: int) -> None:
    part = begun(path, TAGGED)
    assert part.resume(span(text)) == end
    assert path.read_bytes() == BEGINNING


def test_a_rest_tells_the_total_that_was_unknown(path: Path) -> None:
    part = begun(path, {"ETag": '"v1"', "Accept-Ranges": "bytes"})
    assert part.total is None
    part.resume(span("bytes 5-9/10"))
    assert part.total == 10


@pytest.mark.parametrize(
    "headers",
    [
        {},
        span(""),
        span("bytes 4-9/10"),
        span("bytes 6-9/10"),
        span("bytes 5-4/10"),
        span("bytes 5-10/10"),
        span("bytes 5-9/11"),
        span("bytes 5-9/*"),
        span("bytes ٥-9/10"),  # an Arabic digit
        span("bytes 5-9/10", ETag='"v2"'),
        span("bytes 5-9/10", **{"Last-Modified": DAY}),
        {"Content-Range": "bytes 5-9/10"},
    ],
)
def test_any_other_answer_throws_away_what_has_arrived(path: Path, headers: dict[str, str]) -> None:
    part = begun(path, TAGGED)
    with pytest.raises(TransientError, match=r"^asked to continue at byte 5, the server sent something else$"):
        part.resume(headers)
    assert path.read_bytes() == b""


def test_the_digits_of_a_range_are_bounded(path: Path) -> None:
    part = begun(path, {"ETag": '"v1"', "Accept-Ranges": "bytes"})
    assert part.resume(span(f"bytes 5-9/{'9' * 18}")) == 10
    with pytest.raises(TransientError):
        part.resume(span(f"bytes 5-9/{'9' * 19}"))


@pytest.mark.parametrize(
    ("headers", "size", "arrived", "end"),
    [
        (LENGTH, None, 10, 10),
        ({}, 10, 10, None),
        ({}, None, 1, None),  # HTTP cannot tell whether that is all
        ({}, 0, 0, 0),  # an index may list an empty file
    ],
)
def test_a_file_is_complete_at_its_end(
    path: Path, headers: dict[str, str], size: int | None, arrived: int, end: int | None
) -> None:
    begun(path, headers, size, b"x" * arrived).check_end(end)


@pytest.mark.parametrize(
    ("headers", "size", "arrived", "end", "reason", "left"),
    [
        (LENGTH, None, 9, 10, "broke off after 9 of 10 bytes", 9),
        (LENGTH, None, 5, 5, "broke off after 5 of 10 bytes", 5),
        ({}, 10, 9, None, "broke off after 9 of 10 bytes", 9),
        ({}, None, 0, None, "broke off after 0 of ? bytes", 0),
        (LENGTH, None, 11, 10, "the body goes on after byte 10, its announced end", 0),
    ],
)
def test_and_nowhere_else(
    path: Path, headers: dict[str, str], size: int | None, arrived: int, end: int | None, reason: str, left: int
) -> None:
    part = begun(path, headers, size, b"x" * arrived)
    with pytest.raises(TransientError) as failed:
        part.check_end(end)
    assert (str(failed.value), failed.value.wait, part.arrived) == (reason, 0, left)


@pytest.mark.parametrize(
    ("headers", "length"),
    [
        (LENGTH, 10),
        ({"Content-Length": "0"}, 0),
        ({"Content-Length": " 10 , 11"}, 10),  # of several the first: an answer of another length is broken off
        ({"Content-Length": "9" * 30}, int("9" * 18)),
        ({**LENGTH, "Transfer-Encoding": "chunked"}, None),
        ({}, None),
        *(({"Content-Length": text}, None) for text in ("", "-1", "²", "٥", "1e3")),
    ],
)
def test_the_announced_length(headers: dict[str, str], length: int | None) -> None:
    assert announced_length(headers) == length


def test_the_longest_validator_that_is_sent_back() -> None:
    assert [len(usable("x" * length)) for length in (0, 1000, 1001)] == [0, 1000, 0]


def test_all_is_written_by_a_disk_that_takes_three_bytes_at_a_time(path: Path) -> None:
    class Slow(FileIO):
        def write(self, data: Any) -> int:
            return super().write(bytes(data)[:3])

    with Slow(path, "wb") as out:
        write_all(out, memoryview(b"Parameters"))
    assert path.read_bytes() == b"Parameters"
