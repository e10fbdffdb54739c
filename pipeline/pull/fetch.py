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
from traincompute.web import Answer, FetchError, Limits
from traincompute.web import fetch as receive

__all__ = ["FetchError", "Fetched", "Limits", "cached", "fetch"]

DEFAULT_LIMITS = Limits()
LONGEST_ETAG = 1000  # no server would take a longer one back
_STALE_S = 86_400.0  # a temporary file older than this was left by a process that was killed
_PAGES = {"text/html", "application/xhtml+xml"}
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)[\s>]", re.I | re.S
)


@dataclass(frozen=True)
class Fetched:
    """A file in the cache, named by its sha256; `url` is the address asked for, before redirects, `date` the day and
    hour that the server stated."""

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
    """Return the file at `url`, complete and in `cache`; raises FetchError if that cannot be had, OSError if the disk
    fails.

    https, or http on loopback. `etag` counts only while the cached file `known_sha256` is intact.
    `content_types` lists the types accepted (any but HTML when empty; "" accepts a missing header).
    `progress` gets the bytes so far and the total, None if unknown. Credentials are never sent.
    """
    types = frozenset(kind.lower() for kind in content_types)
    etag = _usable(etag)
    kept = cached(cache, known_sha256) if etag else None
    asked = {"If-None-Match": etag} if kept else None
    with _temporary(cache) as part:
        with part.open("wb") as out:
            answer = receive(
                url, out, limits, asked, lambda found: _check_kind(url, types, found), progress or (lambda *_: None)
            )
        date = _date(answer.headers.get("Date", ""))
        if kept and answer.status_code == 304:
            return Fetched(kept, known_sha256, kept.stat().st_size, etag, url, True, date)
        path = _keep(url, types, part, cache)
        etag = _usable(answer.headers.get("ETag", ""))
        return Fetched(path, path.name, path.stat().st_size, etag, url, False, date)


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


def _usable(etag: str) -> str:
    return etag if len(etag) <= LONGEST_ETAG else ""


def _check_kind(url: str, types: frozenset[str], answer: Answer) -> None:
    """Refuses a media type that is not wanted."""
    kind = answer.headers.get("Content-Type", "").split(";")[0].strip().lower()
    if kind not in types and (types or kind in _PAGES):
        raise FetchError(url, f"content type {kind!r}, expected {', '.join(sorted(types)) or 'no HTML page'}")


@contextlib.contextmanager
def _temporary(cache: Path) -> Iterator[Path]:
    cache.mkdir(parents=True, exist_ok=True)
    for old in cache.glob(".*.part"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - old.stat().st_mtime > _STALE_S:
                old.unlink()
    part = cache / f".{uuid.uuid4().hex}.part"
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)


def _keep(url: str, types: frozenset[str], part: Path, cache: Path) -> Path:
    with part.open("rb") as file:
        if _HTML.match(file.read(4096)) and not types & _PAGES:
            raise FetchError(url, "the file is an HTML page")
    sync(part)
    path = cache / file_sha256(part)
    part.replace(path)
    sync(cache)  # lets the rename last through a power cut
    return path


def _date(text: str) -> datetime | None:
    """The time of a Date header; None where there is none that can be read."""
    try:
        return parsedate_to_datetime(text).astimezone(UTC) if text else None
    except (ValueError, OverflowError):
        return None
