"""Gets the files of a source, from its URLs, a mirror of them, or the disk. Nothing is written."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from pipeline.base.errors import DataError
from pipeline.registry.sources import Source
from traincompute.web import FetchError, Limits, fetch

LIMITS = Limits(deadline=300, max_bytes=200_000_000)  # of one file
PAGES = {"text/html", "application/xhtml+xml"}
HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)[\s>]", re.I | re.S)


@dataclass(frozen=True)
class Request:
    """Where to pull from (the source's URLs, a mirror of them, or files) and as the state of which day (None: live,
    today)."""

    mirror: str = ""
    files: tuple[Path, ...] = ()
    as_of: date | None = None
    update: bool = False
    strict: bool = False


@dataclass(frozen=True)
class Upstream:
    """One upstream file as it was received."""

    url: str
    content: bytes
    where: str
    date: datetime | None = None  # what the server says

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def md5(self) -> str:
        """Only to find the file in the records of others: nothing is trusted for its md5."""
        return hashlib.md5(self.content, usedforsecurity=False).hexdigest()


def receive(source: Source, request: Request) -> list[Upstream]:
    """The files of the source. Raises FetchError where one cannot be had, DataError where it cannot be the right
    one."""
    if not request.files:
        return [_download(source, request.mirror, url) for url in source.urls]
    urls = source.urls if len(source.urls) == len(request.files) else [file.name for file in request.files]
    return [_from_disk(url, file) for url, file in zip(urls, request.files, strict=True)]


def _download(source: Source, mirror: str, url: str) -> Upstream:
    where = f"{mirror.rstrip('/')}/{_mirror_path(source, url)}" if mirror else url
    headers = fetch(where, body := io.BytesIO(), LIMITS)
    kind = headers.get("Content-Type", "").split(";")[0].strip().lower()
    if kind not in source.media_types and (source.media_types or kind in PAGES):
        raise FetchError(where, f"content type {kind!r}, expected {', '.join(source.media_types) or 'no HTML page'}")
    if HTML.match(body.getvalue()[:4096]):
        raise FetchError(where, "the file is an HTML page")
    return Upstream(url, _unzipped(body.getvalue(), url), where, _date(headers))


def _mirror_path(source: Source, url: str) -> str:
    """A mirror lays files out by host and path (epoch.ai/data/x.csv), or as the source's mirror_paths say."""
    if source.mirror_paths:
        return source.mirror_paths[source.urls.index(url)]
    parts = urlsplit(url)
    return parts.netloc + parts.path


def _from_disk(url: str, file: Path) -> Upstream:
    if not file.is_file():
        raise DataError.of(str(file), "not a file on disk", "save what it gives to a file, and name that")
    if file.stat().st_size > LIMITS.max_bytes:
        reason = f"larger than {LIMITS.max_bytes / 1e6:.0f} MB"
        raise DataError.of(str(file), reason, "look whether it is the right file")
    return Upstream(url, _unzipped(file.read_bytes(), url), str(file))


def _unzipped(content: bytes, url: str) -> bytes:
    """The content or, of an archive, the member with the name of the URL's file (or its only table). It is unpacked in
    memory, as far as the limit. An xlsx spreadsheet is an archive too, and stays whole."""
    name = PurePosixPath(urlsplit(url).path).name
    if not content.startswith(b"PK\x03\x04") or name.endswith(".xlsx"):
        return content
    again = "fetch it again; if that does not help, tell its publisher"
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            tables = [member for member in archive.namelist() if member.endswith(".csv")]
            named = [member for member in tables if PurePosixPath(member).name == name] or tables
            if len(named) != 1:
                raise DataError.of(
                    url, f"the archive does not have one {name}", f"it holds {', '.join(sorted(tables))}"
                )
            with archive.open(named[0]) as member:
                unpacked = member.read(LIMITS.max_bytes + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, NotImplementedError) as error:
        raise DataError.of(url, f"damaged archive: {error}", again) from error
    if len(unpacked) > LIMITS.max_bytes:
        raise DataError.of(url, f"unpacks to more than {LIMITS.max_bytes / 1e6:.0f} MB", again)
    return unpacked


def _date(headers: Mapping[str, str]) -> datetime | None:
    """The time of a Date header; None where there is none that can be read."""
    try:
        return parsedate_to_datetime(headers["Date"]).astimezone(UTC)
    except (KeyError, ValueError, OverflowError):
        return None
