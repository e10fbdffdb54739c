"""Receive one HTTP answer into a temporary file: whole, or continued where it broke off, never spliced.

Raises FetchError for good, TransientError where another attempt may help. Opens no connection.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from pathlib import Path
from typing import BinaryIO, NoReturn

import requests
from urllib3.exceptions import HTTPError

_CHUNK = 1 << 16
PAGES = {"text/html", "application/xhtml+xml"}
LATER, CHECK = "try again later", "open the address in a browser and correct it"
_ROOM = "raise the cap if the file is meant to be that large"


@dataclass(frozen=True)
class Limits:
    """Bounds of one download: times in seconds, sizes in bytes; `deadline` spans all attempts."""

    attempts: int = 4
    connect_timeout: float = 10.0
    read_timeout: float = 30.0
    deadline: float = 300.0
    max_bytes: int = 200_000_000
    max_redirects: int = 5
    backoff: float = 0.5
    max_retry_after: float = 60.0


DEFAULT_LIMITS = Limits()


class FetchError(Exception):
    """The file could not be had; str() is one line: address, reason, remedy."""

    def __init__(self, url: str, reason: str, remedy: str) -> None:
        self.url, self.reason, self.remedy = url, " ".join(reason.split()), remedy
        super().__init__(" ".join(f"{url}: {reason}; {remedy}".split()))


class TransientError(Exception):
    """A failure that may pass; `wait` is the number of seconds the server asked for."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass(frozen=True)
class Job:
    """What stays the same over all attempts; `etag` is blank unless a verified copy is at hand."""

    url: str
    etag: str
    types: frozenset[str]
    limits: Limits
    session: requests.Session
    progress: Callable[[int, int | None], None] | None
    clock: Callable[[], float]
    ends: float

    def refuse(self, reason: str, remedy: str) -> NoReturn:
        raise FetchError(self.url, reason, remedy)

    def late(self) -> NoReturn:
        self.refuse(f"not done within the deadline of {self.limits.deadline:g} s", LATER)

    def left(self) -> float:
        seconds = self.ends - self.clock()
        return seconds if seconds > 0 else self.late()


@dataclass
class Part:
    """The temporary file, and what its first response said about the whole."""

    path: Path
    size: int = 0
    total: int | None = None
    etag: str = ""
    modified: str = ""
    ranges: bool = False

    def validator(self) -> str:
        """The If-Range value with which this part may be continued; blank if it must start again."""
        if not (self.size and self.ranges):
            return ""
        return self.modified if self.etag.startswith("W/") else self.etag or self.modified


def take(job: Job, part: Part, response: requests.Response) -> bool:
    """Judge the status and receive the body; False if the server says 304."""
    code = response.status_code
    if code == 304 and job.etag and not part.validator():
        return False
    if code == 416 and part.size:
        part.size = 0
        raise TransientError("the server cannot continue the file")
    if code == 429 or code >= 500:
        wait = _asked_wait(response.headers) if code in (429, 503) else 0.0
        raise TransientError(f"HTTP {code}", min(wait, job.limits.max_retry_after))
    if code in (401, 403):
        job.refuse(f"HTTP {code}: access denied", CHECK)
    if code != 200 and not (code == 206 and part.validator()):
        job.refuse(f"HTTP {code}", CHECK)
    _receive(job, part, response)
    return True


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


def _receive(job: Job, part: Part, response: requests.Response) -> None:
    _check_plain(job, response.headers)
    end: int | None
    if response.status_code == 206:
        end = _check_continues(part, response.headers)
    else:
        _check_type(job, response.headers.get("Content-Type", ""))
        end = _begin(part, response.headers)
    with part.path.open("ab" if part.size else "wb") as out:
        _copy(job, part, response, out)
        out.flush()
        os.fsync(out.fileno())
    if end is not None and part.size > end:
        part.size = 0
        raise TransientError(f"the body goes on after byte {end}, its announced end")
    if part.size == 0 or part.total not in (None, part.size):
        raise TransientError(f"{part.size} of {part.total or '?'} bytes arrived")


def _check_plain(job: Job, headers: Mapping[str, str]) -> None:
    coding = headers.get("Content-Encoding", "identity").lower()
    framing = headers.get("Transfer-Encoding", "chunked").lower()
    if coding != "identity" or framing != "chunked":
        job.refuse(f"encoded body ({coding}, {framing}) though none was asked for", CHECK)


def _check_type(job: Job, header: str) -> None:
    kind = header.split(";")[0].strip().lower()
    if kind not in job.types and (job.types or kind in PAGES):
        wanted = ", ".join(sorted(job.types)) or "no HTML page"
        job.refuse(f"content type {kind!r}, expected {wanted}", CHECK)


def _begin(part: Part, headers: Mapping[str, str]) -> int | None:
    """Start from zero; return the length announced, None if there is none."""
    length = headers.get("Content-Length", "").split(",")[0].strip()
    framed = "Transfer-Encoding" in headers  # takes precedence over Content-Length: RFC 9112, 6.3
    part.size, part.total = 0, int(length[:18]) if length.isdigit() and not framed else None
    part.etag, part.modified = headers.get("ETag", ""), headers.get("Last-Modified", "")
    part.ranges = headers.get("Accept-Ranges", "").lower() == "bytes"
    return part.total


def _check_continues(part: Part, headers: Mapping[str, str]) -> int:
    """Return where this 206 ends; raises unless it continues the same file at the byte asked for."""
    match = re.fullmatch(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})", headers.get("Content-Range", ""))
    start, end, total = map(int, match.groups()) if match else (-1, -1, -1)
    version = headers.get("ETag", ""), headers.get("Last-Modified", part.modified)
    asked, same = part.size, version == (part.etag, part.modified) and part.total in (None, total)
    if not (same and start == asked <= end < total):
        part.size = 0
        raise TransientError(f"asked to continue at byte {asked}, the server sent something else")
    part.total = total
    return end + 1


def _copy(job: Job, part: Part, response: requests.Response, out: BinaryIO) -> None:
    limit, expired = job.limits.max_bytes, threading.Event()
    too_big = f"larger than the cap of {limit} bytes"
    if (part.total or 0) > limit:
        job.refuse(too_big, _ROOM)
    guard = threading.Timer(job.left(), _cut, (expired, response))
    guard.daemon = True
    guard.start()
    try:
        while chunk := _read(job, part, response, expired):
            part.size += len(chunk)
            if part.size > limit:
                job.refuse(too_big, _ROOM)
            out.write(chunk)
            if job.progress:
                job.progress(part.size, part.total)
    finally:
        guard.cancel()


def _cut(expired: threading.Event, response: requests.Response) -> None:
    """End a read that blocks: a drip inside one chunk header never comes back to the caller."""
    expired.set()
    with contextlib.suppress(ValueError, RuntimeError, OSError):  # already closed
        response.raw.shutdown()


def _read(job: Job, part: Part, response: requests.Response, expired: threading.Event) -> bytes:
    job.left()
    try:
        # read1 returns what has come; read would wait for the full chunk however slow the drip.
        chunk: bytes = response.raw.read1(_CHUNK, decode_content=False)
    except HTTPError as error:
        if expired.is_set():
            job.late()
        raise TransientError(f"broke off after {part.size} bytes: {error}") from error
    if expired.is_set():  # an end that we caused ourselves must not pass for the end of the file
        job.late()
    return chunk
