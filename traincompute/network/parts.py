"""A file that is still arriving: the bytes so far, and how to ask the server for the rest of that very file.

A part is continued only where the server shows that it still has the same version; otherwise it starts again at zero.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import NoReturn

LONGEST_VALIDATOR = 1000


class MixedUpError(Exception):
    """The file on the server does not have the size that the index gives."""


class TransientError(Exception):
    """A failure that may pass; `wait` is the number of seconds that the server asked for."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass
class Part:
    """The file to fill, and what the first answer said about the whole.

    `size` is given where an index states it together with the hash: a bad continuation would then be noticed, so ranges
    are tried even where the server does not announce them, and a later process may resume. Where it is None, `total` is
    what the server announced, if anything."""

    path: Path
    size: int | None = None
    total: int | None = None
    etag: str = ""
    modified: str = ""
    ranges: bool = False

    def __post_init__(self) -> None:
        self.total, self.ranges = self.size, self.size is not None
        if self.size is not None and validator_of(self.path).is_file():
            self.etag, _, self.modified = validator_of(self.path).read_text("latin-1").partition("\n")

    @property
    def arrived(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def rest(self) -> dict[str, str]:
        """The request headers that ask for the rest; none where the part has to start again."""
        validator = self.modified if self.etag.startswith("W/") else self.etag or self.modified
        have = self.arrived
        if not (validator and self.ranges and 0 < have <= (self.total or have)):
            return {}
        return {"Range": f"bytes={have}-", "If-Range": validator}

    def begin(self, headers: Mapping[str, str]) -> int | None:
        """Starts at zero and notes which version this is. Returns where the body will end, None where that is unknown."""
        announced = announced_length(headers)
        if self.size is not None and announced not in (None, self.size):
            raise MixedUpError(f"has {announced} bytes, but {self.size} in the index")
        restart(self.path)
        self.etag, self.modified = usable(headers.get("ETag", "")), usable(headers.get("Last-Modified", ""))
        if self.size is not None:
            validator_of(self.path).write_text(f"{self.etag}\n{self.modified}", "latin-1")
        else:
            self.total, self.ranges = announced, headers.get("Accept-Ranges", "").lower() == "bytes"
        return announced

    def resume(self, headers: Mapping[str, str]) -> int:
        """Returns where this partial answer ends. Raises TransientError, and starts again, unless it continues the same
        version at the byte asked for."""
        match = re.fullmatch(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})", headers.get("Content-Range", ""), re.ASCII)
        version = usable(headers.get("ETag", "")), usable(headers.get("Last-Modified", self.modified))
        have = self.arrived
        strange = f"asked to continue at byte {have}, the server sent something else"
        if match is None or version != (self.etag, self.modified):
            self.fail(strange)
        start, last, total = map(int, match.groups())
        if not (start == have <= last < total and self.total in (None, total)):
            self.fail(strange)
        self.total = total
        return last + 1

    def check_end(self, end: int | None) -> None:
        """Raises TransientError unless the answer that ended at byte `end` has completed the file."""
        have = self.arrived
        if end is not None and have > end:
            self.fail(f"the body goes on after byte {end}, its announced end")
        if self.total not in (None, have) or (self.size is None and not have):
            raise TransientError(f"broke off after {have} of {self.total or '?'} bytes")

    def fail(self, reason: str) -> NoReturn:
        """Discards what has arrived and raises TransientError."""
        restart(self.path)
        raise TransientError(reason)


def usable(validator: str) -> str:
    """What a server calls a version of its file; "" where it is so long that no server would take it back."""
    return validator if len(validator) <= LONGEST_VALIDATOR else ""


def announced_length(headers: Mapping[str, str]) -> int | None:
    """The length of the body in bytes, None where there is none; Transfer-Encoding overrides it (RFC 9112, 6.3)."""
    length = headers.get("Content-Length", "").split(",")[0].strip()
    framed = "Transfer-Encoding" in headers
    return int(length[:18]) if length.isascii() and length.isdigit() and not framed else None


def validator_of(part: Path) -> Path:
    """The file with the ETag and date of what has arrived."""
    return part.with_suffix(".validator")


def restart(part: Path) -> None:
    """Empties the part. It is not removed: the lock on it would go with it."""
    part.write_bytes(b"")
    validator_of(part).unlink(missing_ok=True)


def write_all(out: FileIO, data: memoryview) -> None:
    """Writes all of it, unbuffered, so that what has arrived survives the process."""
    while len(data):
        data = data[out.write(data) :]
