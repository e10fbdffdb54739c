"""What the transport makes of answers that are given to it by hand, on a clock of its own. What servers do is tested in
tests/faults/test_fetch.py."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from traincompute.network import transport
from traincompute.network.addresses import FetchError
from traincompute.network.connection import Answer, Job, Limits
from traincompute.network.parts import MixedUpError, Part, TransientError
from traincompute.network.transport import fetch_listed, fetch_small, fetch_whole, receive

URL = "https://example.org/a.csv"
BODY = b"Model,Parameters\n"  # 17 bytes
FRAMED = {"Content-Length": "17"}
NOTHING: Mapping[str, str] = {}


class Clock:
    """Time that passes only while somebody sleeps or a body is read; `pauses` are the sleeps."""

    def __init__(self) -> None:
        self.now, self.pauses = 1000.0, list[float]()

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


class Body:
    """A body in pieces, of which each takes some seconds; `asked` is how much the reader had room for."""

    def __init__(self, clock: Clock, pieces: list[bytes], seconds: float = 0) -> None:
        self.clock, self.pieces, self.seconds = clock, pieces, seconds
        self.asked: list[int] = []
        self.headers: Mapping[str, str] = {}

    def read1(self, amount: int, **_: object) -> bytes:
        self.asked.append(amount)
        self.clock.now += self.seconds
        return self.pieces.pop(0)[:amount] if self.pieces else b""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "sleep", clock.sleep)
    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    return clock


def answer(body: Body | None = None, headers: Mapping[str, str] = NOTHING, status: int = 200) -> Answer:
    made = requests.Response()
    made.status_code, made.reason, made.raw = status, "Odd", body or Body(Clock(), [])
    made.headers.update(headers)
    made.raw.headers = headers
    return made


Answers = Callable[..., list[Mapping[str, str]]]


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    """Gives these answers, an error where one stands; returns the headers of the requests as they come."""

    def give(*given: Answer | Exception) -> list[Mapping[str, str]]:
        left, asked = list(given), list[Mapping[str, str]]()

        @contextmanager
        def answered(_: Job, headers: Mapping[str, str]) -> Iterator[Answer]:
            asked.append(headers)
            one = left.pop(0)
            if isinstance(one, Exception):
                raise one
            yield one

        monkeypatch.setattr(transport, "answered", answered)
        return asked

    return give


def test_a_small_file_may_be_as_large_as_is_said_and_no_larger(clock: Clock, answers: Answers) -> None:
    body = Body(clock, [BODY])
    answers(answer(body))
    assert fetch_small(URL, 17) == BODY
    assert body.asked == [18, 1]
    answers(answer(Body(clock, [BODY])))
    with pytest.raises(FetchError, match="larger than the cap of 16 bytes; raise the cap if"):
        fetch_small(URL, 16)


def test_a_body_is_read_in_pieces_of_64_kilobytes(clock: Clock, answers: Answers) -> None:
    body = Body(clock, [b"x" * 65_536, b"y"])
    answers(answer(body))
    assert len(fetch_whole(Job(URL, Limits()))) == 65_537
    assert body.asked == [65_536] * 3


def test_what_is_listed_has_time_for_its_size_and_what_has_arrived_is_kept(
    clock: Clock, answers: Answers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs, shown = list[Job](), list[int]()

    def noted(job: Job, part: Part) -> bool:
        jobs.append(job)
        return receive(job, part)

    monkeypatch.setattr(transport, "receive", noted)
    answers(answer(Body(clock, [BODY[:9], BODY[9:]])))
    fetch_listed(URL, tmp_path / "a.part", 17, shown.append)
    assert shown == [9, 17]
    assert (tmp_path / "a.part").read_bytes() == BODY
    fetch_listed(URL, tmp_path / "a.part", 17, shown.append)  # asks nobody: there is no further answer
    with pytest.raises(IndexError):
        fetch_listed(URL, tmp_path / "b.part", 40_000, shown.append)
    # 90 s for a pause of a minute and an answer, and 40 kB at 20 kB/s
    assert (jobs[-1].limits.deadline, jobs[-1].limits.max_bytes) == (92, 40_000)
    assert jobs[-1].later == "try again later, what has arrived is kept"


def test_a_listed_file_ends_at_its_size(clock: Clock, answers: Answers, tmp_path: Path) -> None:
    answers(answer(Body(clock, [BODY, b"x"])))
    with pytest.raises(MixedUpError, match=r"^goes on after byte 17, its size in the index$"):
        fetch_listed(URL, tmp_path / "a.part", 17, lambda _: None)
    assert (tmp_path / "a.part").read_bytes() == BODY


@pytest.mark.parametrize("announced", [{}, FRAMED])
def test_no_byte_beyond_the_cap_is_written(
    clock: Clock, answers: Answers, tmp_path: Path, announced: dict[str, str]
) -> None:
    part = Part(tmp_path / "a.part")
    answers(answer(Body(clock, [BODY[:9], BODY[9:]]), announced))
    assert receive(Job(URL, Limits(max_bytes=17)), part)
    answers(answer(Body(clock, [BODY[:9], BODY[9:]]), announced))
    with pytest.raises(FetchError, match="larger than the cap of 16 bytes"):
        receive(Job(URL, Limits(max_bytes=16)), part)
    assert part.path.read_bytes() == (b"" if announced else BODY[:9])  # what is announced is refused unread


@pytest.mark.parametrize(
    ("size", "said"), [(200_000_000, "broke off after 0 of 200000000"), (200_000_001, "cap of 200000000 bytes")]
)
def test_a_file_may_have_200_megabytes(clock: Clock, answers: Answers, tmp_path: Path, size: int, said: str) -> None:
    answers(answer(headers={"Content-Length": str(size)}))
    with pytest.raises(FetchError, match=said):
        receive(Job(URL, Limits(attempts=1)), Part(tmp_path / "a.part"))


def test_a_rest_may_fill_up_to_the_cap(clock: Clock, answers: Answers, tmp_path: Path) -> None:
    part, shown = Part(tmp_path / "a.part"), list[tuple[int, int | None, int]]()
    version = {"ETag": '"v1"', "Accept-Ranges": "bytes"}
    body = Body(clock, [BODY[9:]])
    rest = answer(body, {"Content-Range": "bytes 9-16/17", **version}, 206)
    asked = answers(answer(Body(clock, [BODY[:9]]), {**FRAMED, **version}), rest)
    assert receive(
        Job(URL, Limits(max_bytes=17), show=lambda done, total: shown.append((done, total, part.arrived))), part
    )
    assert part.path.read_bytes() == BODY
    assert asked == [{}, {"Range": "bytes=9-", "If-Range": '"v1"'}]
    assert shown == [(9, 17, 9), (17, 17, 17)]  # what is told has reached the disk
    assert body.asked == [9, 1]  # the 8 that are left, and one that would be too many


def test_the_version_at_hand_is_not_fetched_again(clock: Clock, answers: Answers, tmp_path: Path) -> None:
    asked = answers(answer(status=304))
    assert not receive(Job(URL, Limits(), etag='"v1"'), Part(tmp_path / "a.part"))
    assert asked == [{"If-None-Match": '"v1"'}]


@pytest.mark.parametrize(
    ("status", "condition", "requests", "said"),
    [
        (429, "", 2, ""),
        (500, "", 2, ""),
        (599, "", 2, ""),
        *((code, "", 1, f"HTTP {code} Odd; open the address in a browser") for code in (201, 428, 430, 499, 600)),
        (304, "Range", 1, "HTTP 304"),
        (206, "If-None-Match", 1, "HTTP 206"),
    ],
)
def test_a_status_is_taken_tried_again_or_refused(
    clock: Clock, answers: Answers, tmp_path: Path, status: int, condition: str, requests: int, said: str
) -> None:
    part = Part(tmp_path / "a.part", 17)
    if condition == "Range":
        part.begin({"ETag": '"v1"'})
        part.path.write_bytes(BODY[:9])
    job = Job(URL, Limits(), etag='"v0"' if condition == "If-None-Match" else "")
    asked = answers(answer(status=status), answer(Body(clock, [BODY])))
    if said:
        with pytest.raises(FetchError, match=said):
            receive(job, part)
    else:
        assert receive(job, part)
    assert len(asked) == requests
    assert condition in (*asked[0], "")


def test_a_part_that_the_server_cannot_continue_starts_again(clock: Clock, answers: Answers, tmp_path: Path) -> None:
    part = Part(tmp_path / "a.part", 17)
    part.begin({"ETag": '"v1"'})
    part.path.write_bytes(b"Weights,M")
    asked = answers(answer(status=416), answer(Body(clock, [BODY])))
    with pytest.raises(FetchError, match=r"the server cannot continue the file \(attempt 1, the last\)"):
        receive(Job(URL, Limits(attempts=1)), part)
    assert receive(Job(URL, Limits()), part)
    assert part.path.read_bytes() == BODY
    assert [list(headers) for headers in asked] == [["Range", "If-Range"], []]


def failing(clock: Clock, limits: Limits, wait: float = 0, seconds: float = 0) -> tuple[str, int]:
    """Why attempts of so many seconds, which all fail, are given up, and their number."""
    count = 0

    def attempt() -> bytes:
        nonlocal count
        count += 1
        clock.now += seconds
        raise TransientError("HTTP 503", wait)

    with pytest.raises(FetchError) as failed:
        transport._persist(Job(URL, limits), attempt)
    return f"{failed.value.reason}; {failed.value.remedy}", count


def test_pauses_begin_at_random_double_and_end_with_the_attempts(clock: Clock) -> None:
    assert failing(clock, Limits()) == ("HTTP 503 (attempt 4, the last); try again later", 4)
    bounds = [(0, 0.5), (1, 1.5), (2, 2.5)]  # doubled from the second on, each with up to half a second more
    assert all(low < pause < high for pause, (low, high) in zip(clock.pauses, bounds, strict=True))
    assert failing(clock, Limits(attempts=1)) == ("HTTP 503 (attempt 1, the last); try again later", 1)


def test_a_pause_that_would_end_at_the_deadline_is_not_waited_for(clock: Clock) -> None:
    limits = Limits(deadline=100)
    late = "HTTP 503; no time left to try again; try again later"
    assert failing(clock, limits, wait=45, seconds=5) == (late, 2)  # 5 + 45 + 5 = 55 s, and 45 are left
    assert failing(clock, limits, wait=100) == (late, 1)
    assert clock.pauses == [45]


@pytest.mark.parametrize(
    ("value", "wait"),
    [("7", 7), ("3600", 60), ("60", 60), ("0", 0), ("-5", 0), ("soon", 0), ("9" * 5000, 0), ("", 0)],
)
def test_a_server_may_ask_for_a_minute(value: str, wait: float) -> None:
    busy = answer(headers={"Retry-After": value} if value else {}, status=503)
    with pytest.raises(TransientError) as failed:
        transport._check_status(Job(URL, Limits()), busy, {})
    assert (str(failed.value), failed.value.wait) == ("HTTP 503", wait)


def read_slowly(clock: Clock, limits: Limits, seconds: float, *pieces: int) -> int:
    """The size of a body of such pieces, of which each takes so many seconds."""
    body = Body(clock, [b"x" * size for size in pieces], seconds)
    return sum(map(len, transport._pieces(Job(URL, limits), answer(body), 100_000)))


def test_a_body_has_to_bring_its_least_rate_in_every_window(clock: Clock) -> None:
    ten = Limits(window=10, least_rate=100, deadline=100)
    assert read_slowly(clock, ten, 5, 1, 999, 999, 1, 9) == 2009  # the last window is not over
    for pieces, count in ([1, 998], 999), ([5000, 1, 1, 1], 2):
        with pytest.raises(FetchError, match=f"comes too slowly: {count} bytes in 10 s; try again later"):
            read_slowly(clock, ten, 5, *pieces)


def test_that_is_60_kilobytes_a_minute(clock: Clock) -> None:
    assert read_slowly(clock, Limits(), 60, 60_000) == 60_000
    with pytest.raises(FetchError, match="comes too slowly: 59999 bytes in 60 s"):
        read_slowly(clock, Limits(), 60, 59_999)


def test_an_end_that_comes_after_the_deadline_is_no_end(clock: Clock) -> None:
    job = Job(URL, Limits(deadline=4))
    with pytest.raises(FetchError, match="not done within the deadline of 4 s"):
        list(transport._pieces(job, answer(Body(clock, [], 5)), 9))
