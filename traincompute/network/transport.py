"""Bytes over a network that cannot be trusted: bounded in size and time, tried again where that may help, resumed where
a transfer broke off, never spliced. Releases and sources come through here.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from email.utils import mktime_tz, parsedate_tz
from http.client import responses
from pathlib import Path
from threading import Timer
from typing import NoReturn, TypeVar
from urllib.parse import urldefrag, urljoin

from traincompute.network.connection import CHECK, Answer, FetchError, Job, Limits, ask, check_address, read
from traincompute.network.parts import MixedUpError, Part, TransientError, announced_length, write_all

CHUNK = 1 << 16
READER = Limits(deadline=90.0)  # room for the longest pause that a server may ask for, and an answer after it
SLOWEST = 20_000  # bytes per second; a file that comes more slowly is given up
REDIRECTS = (301, 302, 303, 307, 308)
KEPT = "try again later, what has arrived is kept"

Result = TypeVar("Result")


def fetch_small(url: str, largest: int) -> bytes:
    """The body at `url`, held in memory. Raises FetchError where it cannot be had or is larger than `largest`."""
    job = Job(url, replace(READER, max_bytes=largest))
    return _persist(job, lambda: _whole(job))


def fetch_listed(url: str, part: Path, size: int, show: Callable[[int], None]) -> None:
    """Fills `part` up to exactly `size` bytes, from where an earlier call left it if the server still has that file.

    Raises as `receive` does. What the bytes are is for the caller to check."""
    limits = replace(READER, deadline=READER.deadline + size / SLOWEST, max_bytes=size)
    receive(Job(url, limits, show=lambda done, _: show(done), later=KEPT), Part(part, size))


def receive(job: Job, part: Part) -> bool:
    """True once the part is complete, False where the server still has the version `job.etag`.

    Raises FetchError where it cannot be had, MixedUpError where it has another size than the index gives, OSError where
    the disk does not allow it."""
    return part.arrived == part.size or _persist(job, lambda: _continue(job, part))


def _persist(job: Job, attempt: Callable[[], Result]) -> Result:
    """What the attempt gives; repeated a few times, with full jitter between, where the failure may pass."""
    for number in itertools.count(1):
        try:
            return attempt()
        except TransientError as failure:
            if number >= job.limits.attempts:
                raise FetchError(job.url, f"{failure} (attempt {number}, the last)", job.later) from failure
            jitter = random.uniform(0, job.limits.backoff * 2 ** (number - 1))
            pause = max(jitter, min(failure.wait, job.limits.max_retry_after))
            if pause >= job.left():
                raise FetchError(job.url, f"{failure}; no time left to try again", job.later) from failure
            time.sleep(pause)
    raise AssertionError("unreachable")


def _whole(job: Job) -> bytes:
    """One attempt at a body that is held in memory."""
    with _answer(job, {}) as answer:
        body, total = b"".join(_pieces(job, answer, job.limits.max_bytes)), announced_length(answer.headers)
    if len(body) > job.limits.max_bytes:
        _too_large(job)
    if total not in (None, len(body)):
        raise TransientError(f"broke off after {len(body)} of {total} bytes")
    return body


def _continue(job: Job, part: Part) -> bool:
    """One attempt: the rest of the part, or all of it where the server does not continue the very same file."""
    condition = part.rest() or ({"If-None-Match": job.etag} if job.etag else {})
    with _answer(job, condition) as answer:
        if answer.status == 304:
            return False
        if answer.status == 416:
            part.fail("the server cannot continue the file")
        job.accept(answer)
        end = part.resume(answer.headers) if answer.status == 206 else part.begin(answer.headers)
        _fill(job, answer, part)
    part.check_end(end)
    return True


def _fill(job: Job, answer: Answer, part: Part) -> None:
    """Writes the body to the part as it arrives, and never more than it may have."""
    have, most = part.arrived, job.limits.max_bytes
    if (part.total or 0) > most:
        _too_large(job)
    with part.path.open("ab", buffering=0) as out:
        for piece in _pieces(job, answer, most - have):
            have += len(piece)
            if have > most and part.size is None:
                _too_large(job)
            if have > most:
                raise MixedUpError(f"goes on after byte {part.size}, its size in the index")
            write_all(out, memoryview(piece))
            job.show(have, part.total)


def _too_large(job: Job) -> NoReturn:
    job.refuse(
        f"larger than the cap of {job.limits.max_bytes} bytes", "raise the cap if the file is meant to be that large"
    )


def _pieces(job: Job, answer: Answer, room: int) -> Iterator[bytes]:
    """The body as it arrives: `room` bytes, and one more where it does not end there."""
    while room >= 0 and (piece := read(job, answer, min(CHUNK, room + 1))):
        room -= len(piece)
        yield piece


@contextlib.contextmanager
def _answer(job: Job, condition: Mapping[str, str]) -> Iterator[Answer]:
    """An answer with status 200, or another that the condition asks for; at the deadline its connection is cut."""
    answer = _follow(job, {"Accept-Encoding": "identity", "User-Agent": "traincompute", **condition})
    guard = Timer(job.ends - time.monotonic(), answer.cut)
    guard.daemon = True
    guard.start()
    try:
        _check_status(job, answer, condition)
        job.date = answer.headers.get("Date", "")
        yield answer
    finally:
        guard.cancel()
        answer.close()


def _follow(job: Job, headers: Mapping[str, str]) -> Answer:
    """The first answer that is no redirect; the body of a redirect is not read."""
    check_address(job.url)
    url, seen = job.url, {urldefrag(job.url).url}
    while (answer := ask(job, url, headers)).status in REDIRECTS:
        answer.close()
        url = _next_address(job, url, answer.headers.get("Location", ""))
        if url in seen or len(seen) > job.limits.max_redirects:
            job.refuse(f"redirects in an infinite loop or too often, at {url!r}")
        seen.add(url)
    return answer


def _next_address(job: Job, url: str, location: str) -> str:
    text = location.encode("latin-1", "replace").decode("utf-8", "replace")  # http.client reads Latin-1
    try:
        target = urldefrag(urljoin(url, text)).url
    except ValueError as error:
        raise FetchError(job.url, f"unreadable redirect to {text!r}", CHECK) from error
    check_address(target, url, job.url)
    return target


def _check_status(job: Job, answer: Answer, condition: Mapping[str, str]) -> None:
    code = answer.status
    if code == 200 or (code in (206, 416) and "Range" in condition) or (code == 304 and "If-None-Match" in condition):
        return
    if code == 429 or code >= 500:
        raise TransientError(f"HTTP {code}", _asked_wait(answer.headers) if code in (429, 503) else 0.0)
    job.refuse(f"HTTP {code} {responses.get(code, '')}".rstrip())


def _asked_wait(headers: Mapping[str, str]) -> float:
    """Seconds in Retry-After, 0 if none; a date counts from the server's own Date, if it gives one."""
    text = headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    until, now = parsedate_tz(text), parsedate_tz(headers.get("Date", ""))
    try:
        return max(0.0, mktime_tz(until) - (mktime_tz(now) if now else time.time())) if until else 0.0
    except (ValueError, OverflowError):
        return 0.0
