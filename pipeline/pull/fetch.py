"""Gets the files of a source, from its URLs, a mirror of them, or the disk. Nothing is written."""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from pipeline.config import Source
from pipeline.errors import DataError, SourceError
from traincompute.web import FetchError, fetch

MOST_BYTES = 200_000_000  # of one file
CLOCK_OFF = timedelta(days=2)
PAGES = {"text/html", "application/xhtml+xml"}
HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)
AGAIN = "fetch it again; if that does not help, tell its publisher"


@dataclass(frozen=True)
class Upstream:
    """One upstream file as it was received."""

    url: str
    content: bytes
    where: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def md5(self) -> str:
        """Only to find the file in the records of others: nothing is trusted for its md5."""
        return hashlib.md5(self.content, usedforsecurity=False).hexdigest()


def receive(source: Source, mirror: str, files: tuple[Path, ...]) -> list[Upstream]:
    """The files of the source, from the disk if `files` are given, else from its URLs or the address of a mirror.

    Raises FetchError where one cannot be had, DataError where it cannot be the right one."""
    if not files:
        return [_download(source, mirror, url) for url in source.urls]
    urls = source.urls if len(source.urls) == len(files) else [file.name for file in files]
    return [_from_disk(url, file) for url, file in zip(urls, files, strict=True)]


def _download(source: Source, mirror: str, url: str) -> Upstream:
    parts = urlsplit(url)  # a mirror has the files by host and path, or as the source's mirror_paths say
    path = source.mirror_paths[source.urls.index(url)] if source.mirror_paths else parts.netloc + parts.path
    where = f"{mirror.rstrip('/')}/{path}" if mirror else url
    headers = fetch(where, body := io.BytesIO(), max_bytes=MOST_BYTES)
    kind = headers.get("Content-Type", "").split(";")[0].strip().lower()
    if kind not in source.media_types and (source.media_types or kind in PAGES):
        raise FetchError(where, f"content type {kind!r}, expected {', '.join(source.media_types) or 'no HTML page'}")
    if HTML.match(body.getvalue()[:4096]):
        raise FetchError(where, "the file is an HTML page")
    _check_clock(headers, where)
    return Upstream(url, _unzipped(body.getvalue(), url), where)


def _from_disk(url: str, file: Path) -> Upstream:
    if not file.is_file():
        raise DataError.of(str(file), "not a file on disk", "save what it gives to a file, and name that")
    if file.stat().st_size > MOST_BYTES:
        reason = f"larger than {MOST_BYTES / 1e6:.0f} MB"
        raise DataError.of(str(file), reason, "look whether it is the right file")
    return Upstream(url, _unzipped(file.read_bytes(), url), str(file))


def _unzipped(content: bytes, url: str) -> bytes:
    """The content or, of an archive, the member with the name of the URL's file (or its only table). It is unpacked in
    memory, as far as the limit. An xlsx spreadsheet is an archive too, and stays whole."""
    name = PurePosixPath(urlsplit(url).path).name
    if not content.startswith(b"PK\x03\x04") or name.endswith(".xlsx"):
        return content
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            tables = [member for member in archive.namelist() if member.endswith(".csv")]
            named = [member for member in tables if PurePosixPath(member).name == name] or tables
            if len(named) != 1:
                raise DataError.of(
                    url, f"the archive does not have one {name}", f"it holds {', '.join(sorted(tables))}"
                )
            with archive.open(named[0]) as member:
                unpacked = member.read(MOST_BYTES + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, NotImplementedError) as error:
        raise DataError.of(url, f"damaged archive: {error}", AGAIN) from error
    if len(unpacked) > MOST_BYTES:
        raise DataError.of(url, f"unpacks to more than {MOST_BYTES / 1e6:.0f} MB", AGAIN)
    return unpacked


def _check_clock(headers: Mapping[str, str], where: str) -> None:
    """Raises SourceError where this machine and a server disagree about the day: every later pull would fail."""
    now = datetime.now(UTC)
    with contextlib.suppress(KeyError, ValueError, OverflowError):
        theirs = parsedate_to_datetime(headers["Date"]).astimezone(UTC)
        if abs(now - theirs) > CLOCK_OFF:
            says = f"the server says that it is {theirs:%Y-%m-%d}, this machine {now:%Y-%m-%d}"
            raise SourceError(f"{where}: {says}; set the clock")
