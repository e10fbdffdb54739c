"""Download a source's file into the cache below data/cache, where it is named by its sha256.

A call returns a complete file or raises FetchError, or OSError where the disk fails: what the cache held before stays
byte for byte, and no temporary file is left.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

from traincompute.base.disk import file_sha256, sync
from traincompute.network.addresses import FetchError
from traincompute.network.connection import Answer, Job, Limits
from traincompute.network.parts import Part, usable
from traincompute.network.transport import receive

__all__ = ["FetchError", "Fetched", "Limits", "cached", "fetch"]

DEFAULT_LIMITS = Limits()
_STALE_S = 86_400.0  # a temporary file older than this was left by a process that was killed
_PAGES = {"text/html", "application/xhtml+xml"}
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)[\s>]", re.I | re.S
)


@dataclass(frozen=True)
class Fetched:
    """A file in the cache, named by its sha256; `url` is the address asked for, before redirects, `date` the day and hour
    that the server stated."""

    path: Path
    sha256: str
    size: int
    etag: str
    url: str
    not_modified: bool
    date: datetime | None = None


def fetch(
    url: str,
    cache: Path,
    *,
    etag: str = "",
    known_sha256: str = "",
    content_types: tuple[str, ...] = (),
    limits: Limits = DEFAULT_LIMITS,
    progress: Callable[[int, int | None], None] | None = None,
) -> Fetched:
    """Return the file at `url`, complete and in `cache`; raises FetchError if that cannot be had, OSError if the disk fails.

    https, or http on loopback. `etag` counts only while the cached file `known_sha256` is intact.
    `content_types` lists the types accepted (any but HTML when empty; "" accepts a missing header).
    `progress` gets the bytes so far and the total, None if unknown. Credentials are never sent.
    """
    types = frozenset(kind.lower() for kind in content_types)
    etag = usable(etag)
    kept = cached(cache, known_sha256) if etag else None
    show = progress or (lambda *_: None)
    job = Job(url, limits, etag if kept else "", lambda answer: _check_kind(job, types, answer), show)
    with _temporary(cache) as part:
        if receive(job, part):
            return _keep(job, types, part, cache)
    assert kept  # only an answer to If-None-Match ends without a file
    return Fetched(kept, known_sha256, kept.stat().st_size, etag, url, True, _date(job.head.get("Date", "")))


def cached(cache: Path, sha256: str) -> Path | None:
    """Return the cached file of that hash, None if there is none; a file that was altered is deleted."""
    path = cache / sha256
    if not re.fullmatch(r"[0-9a-f]{64}", sha256) or not path.is_file():
        return None
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() == sha256:
            return path
        # Another process may have put a good copy in its place while this one was hashed.
        if os.path.samestat(os.fstat(file.fileno()), path.stat()):
            path.unlink(missing_ok=True)
    return None


def _check_kind(job: Job, types: frozenset[str], answer: Answer) -> None:
    """Refuse an encoded body, and at the beginning of a file a media type that is not wanted."""
    coding = answer.headers.get("Content-Encoding", "identity").lower()
    framing = answer.headers.get("Transfer-Encoding", "chunked").lower()
    if coding != "identity" or framing != "chunked":
        job.refuse(f"encoded body ({coding}, {framing}) though none was asked for")
    kind = answer.headers.get("Content-Type", "").split(";")[0].strip().lower()
    if answer.status_code == 200 and kind not in types and (types or kind in _PAGES):
        job.refuse(f"content type {kind!r}, expected {', '.join(sorted(types)) or 'no HTML page'}")


@contextlib.contextmanager
def _temporary(cache: Path) -> Iterator[Part]:
    cache.mkdir(parents=True, exist_ok=True)
    for old in cache.glob(".*.part"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - old.stat().st_mtime > _STALE_S:
                old.unlink()
    part = Part(cache / f".{uuid.uuid4().hex}.part")
    try:
        yield part
    finally:
        part.path.unlink(missing_ok=True)


def _keep(job: Job, types: frozenset[str], part: Part, cache: Path) -> Fetched:
    with part.path.open("rb") as file:
        if _HTML.match(file.read(4096)) and not types & _PAGES:
            job.refuse("the file is an HTML page")
    sync(part.path)
    sha256 = file_sha256(part.path)
    part.path.replace(cache / sha256)
    sync(cache)  # lets the rename last through a power cut
    return Fetched(
        cache / sha256,
        sha256,
        (cache / sha256).stat().st_size,
        part.etag,
        job.url,
        False,
        _date(job.head.get("Date", "")),
    )


def _date(text: str) -> datetime | None:
    """The time of a Date header; None where there is none that can be read."""
    try:
        return parsedate_to_datetime(text).astimezone(UTC) if text else None
    except (ValueError, OverflowError):
        return None
