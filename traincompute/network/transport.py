"""Bytes over a network that cannot be trusted: bounded in size and time, tried again where that may help, resumed where
a transfer broke off, never spliced. Releases, sources and the listing of a hub come through here.

The pauses between attempts are the business of urllib3's Retry, connections that of requests.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NoReturn, TypeVar

from urllib3 import Retry
from urllib3.exceptions import InvalidHeader, MaxRetryError

from traincompute.network.addresses import check_address
from traincompute.network.connection import Answer, Job, Limits, answered, network
from traincompute.network.parts import MixedUpError, Part, TransientError, write_all

CHUNK = 1 << 16
READER = Limits(deadline=90.0)  # room for the longest pause that a server may ask for, and an answer after it
SLOWEST = 20_000  # bytes per second; a file that comes more slowly is given up
RETRIED = (429, *range(500, 600))
KEPT = "try again later, what has arrived is kept"

Result = TypeVar("Result")


def fetch_small(url: str, largest: int) -> bytes:
    """The body at `url`, held in memory. Raises FetchError where it cannot be had or is larger than `largest`."""
    return fetch_whole(Job(url, replace(READER, max_bytes=largest)))


def fetch_whole(job: Job) -> bytes:
    """The body, held in memory. Raises FetchError where it cannot be had."""
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
    """What the attempt gives; repeated a few times, with pauses that grow at random, where the failure may pass."""
    check_address(job.url)
    limits = job.limits
    retry = Retry(limits.attempts - 1, backoff_factor=limits.backoff, backoff_jitter=limits.backoff)
    while True:
        try:
            return attempt()
        except TransientError as failure:
            try:
                retry = retry.increment("GET", job.url)
            except MaxRetryError:
                job.refuse(f"{failure} (attempt {limits.attempts}, the last)", job.later)
            # urllib3 begins its pauses with the second, so that many readers would come back at once
            pause = max(failure.wait, retry.get_backoff_time() or random.uniform(0, limits.backoff))
            if pause >= job.left():
                job.refuse(f"{failure}; no time left to try again", job.later)
            time.sleep(pause)


def _whole(job: Job) -> bytes:
    """One attempt at a body that is held in memory."""
    with answered(job, {}) as answer:
        _check_status(job, answer, {})
        body = b"".join(_pieces(job, answer, job.limits.max_bytes))
    if len(body) > job.limits.max_bytes:
        _too_large(job)
    return body


def _continue(job: Job, part: Part) -> bool:
    """One attempt: the rest of the part, or all of it where the server does not continue the very same file."""
    condition = part.rest() or ({"If-None-Match": job.etag} if job.etag else {})
    with answered(job, condition) as answer:
        _check_status(job, answer, condition)
        if answer.status_code == 304:
            return False
        if answer.status_code == 416:
            part.fail("the server cannot continue the file")
        job.accept(answer)
        end = part.resume(answer.headers) if answer.status_code == 206 else part.begin(answer.headers)
        _fill(job, answer, part)
    part.check_end(end)
    return True


def _fill(job: Job, answer: Answer, part: Part) -> None:
    """Writes the body to the part as it arrives, and never more than it may have."""
    have, most = part.arrived, job.limits.max_bytes
    if part.total and part.total > most:
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
    since, count = time.monotonic(), 0
    while room >= 0:
        with network(job, "broke off"):
            # read1 returns what there is; read would wait for all of it, however slow the drip
            piece = answer.raw.read1(min(CHUNK, room + 1), decode_content=False)
        job.left()  # an end that the deadline has caused must not pass for the end of the file
        if not piece:
            return
        room, count = room - len(piece), count + len(piece)
        yield piece
        if time.monotonic() - since >= job.limits.window:
            if count < job.limits.window * job.limits.least_rate:
                job.trickle(count)
            since, count = time.monotonic(), 0


def _check_status(job: Job, answer: Answer, condition: Mapping[str, str]) -> None:
    code = answer.status_code
    if code == 200 or (code in (206, 416) and "Range" in condition) or (code == 304 and "If-None-Match" in condition):
        return
    if code in RETRIED:
        raise TransientError(f"HTTP {code}", min(_asked_wait(answer), job.limits.max_retry_after))
    job.refuse(f"HTTP {code} {answer.reason}".rstrip())


def _asked_wait(answer: Answer) -> float:
    """Seconds in Retry-After; 0 where there is none, or none that can be read."""
    try:
        return Retry().get_retry_after(answer.raw) or 0.0
    except (InvalidHeader, ValueError, OverflowError):
        return 0.0
