"""Reads a text file that people or `git` keep: UTF-8, whole. Errors name the file and the line."""

from __future__ import annotations

from pathlib import Path

from pipeline.base.errors import DataError

# what a person typed may stand in the file: no advice throws it away
RESTORE = "`git diff` shows what changed"


def read_whole(path: Path, where: str) -> str:
    """The text of a file of lines. Raises DataError as `read_text`, and where it ends within a line."""
    text = read_text(path, where)
    if not text.endswith("\n"):
        line = text.count("\n") + 1
        raise refuse(f"{where}:{line}", "the last line has no line break: the file may be cut")
    return text


def read_text(path: Path, where: str, remedy: str = RESTORE) -> str:
    """The text of the file. Raises DataError where it is missing, empty or no UTF-8, or has a NUL."""
    if not path.exists():
        raise refuse(where, "the file is missing", remedy)
    raw = path.read_bytes()
    if not raw.strip():
        raise refuse(where, "the file is empty", remedy)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refuse(_at(where, raw, error.start), f"byte 0x{raw[error.start]:02x} is not UTF-8", remedy) from error
    if "\0" in text:
        raise refuse(_at(where, raw, raw.index(b"\0")), "it contains a NUL byte", remedy)
    return text


def refuse(where: str, reason: str, remedy: str = RESTORE) -> DataError:
    """The error for a file as a whole, or for one of its lines."""
    return DataError.of(where, reason, remedy)


def _at(where: str, raw: bytes, position: int) -> str:
    line = raw[:position].count(b"\n") + 1
    return f"{where}:{line}"
