"""A file on its way: what has come of it, and beside it by what the server can be asked for the rest of the same file."""

from __future__ import annotations

from io import FileIO
from pathlib import Path


class MixedUpError(Exception):
    """What comes has another size than the index says."""


def validator_of(part: Path) -> Path:
    """The file with the ETag or date of what has come."""
    return part.with_suffix(".validator")


def restart(part: Path) -> None:
    """Empties the part. It is not removed: the lock on it would go with it."""
    part.write_bytes(b"")
    validator_of(part).unlink(missing_ok=True)


def write_all(out: FileIO, data: memoryview) -> None:
    """Writes all of it, unbuffered: what has come outlives the process."""
    while len(data):
        data = data[out.write(data) :]
