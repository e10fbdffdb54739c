"""SHA256SUMS: which files a release has, and their hashes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from traincompute.base.disk import file_sha256
from traincompute.base.places import DUCKDB_NAME, LARGEST_FILE, SIGNATURE, SQL_NAME, ReleaseError

SUMS = "SHA256SUMS"
LINE = re.compile(r"([0-9a-f]{64})  (\.?[A-Za-z0-9][A-Za-z0-9._-]{0,99})")
MOST_FILES = 1000
DESCRIBING = (".bib", ".cff", ".json", ".md", ".png", ".svg", ".txt", ".yml")


def parse_sums(text: str, where: object = SUMS) -> dict[str, str]:
    """{file name: sha256}, read line by line as `sha256sum -c` does.

    Raises ReleaseError for a line that is none, a name that is no plain file name, and a name that stands twice."""
    sums: dict[str, str] = {}
    lines = text.split("\n")
    if lines.pop() or len(lines) > MOST_FILES:
        raise ReleaseError(f"{where}: it is cut, or has more than {MOST_FILES} lines")
    for number, line in enumerate(lines, 1):
        match = LINE.fullmatch(line)
        if not match:
            raise ReleaseError(f"{where}:{number}: {line[:100]!a} is not a sha256, two spaces and a plain file name")
        if match[2] in sums:
            raise ReleaseError(f"{where}:{number}: {match[2]} stands twice")
        sums[match[2]] = match[1]
    return sums


def check_files(folder: Path, sums: Mapping[str, str], tables: Mapping[str, object]) -> Iterator[str]:
    """What differs between the folder and its SHA256SUMS: files that are missing, foreign, altered or not of a kind that a
    release has."""
    known = {*sums, SUMS, SIGNATURE}
    for number, path in enumerate(folder.iterdir(), 1):
        if number > MOST_FILES:
            yield f"the folder holds more than {MOST_FILES} files"
            return
        if path.name not in known:
            yield f"{shown(path.name)}: is not listed in {SUMS}"
        elif not _is_plain(path):
            yield f"{path.name}: is not a plain file of at most {LARGEST_FILE / 1e9:.0f} GB"
    for name in sorted(sums):
        path = folder / name
        if not path.exists() and not path.is_symlink():
            yield f"{name}: is missing"
        elif not _is_of_a_release(name, tables):
            yield f"{name}: is no file that a release has"
        elif _is_plain(path) and (digest := file_sha256(path)) != sums[name]:
            yield f"{name}: sha256 is {digest}, but {sums[name]} in {SUMS}"


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and path.stat().st_size <= LARGEST_FILE


def _is_of_a_release(name: str, tables: Mapping[str, object]) -> bool:
    """Whether it is a file of one of the tables, the database, the zip, or one of the kinds that describe them."""
    stem, dot, kind = name.rpartition(".")
    if kind in ("csv", "parquet"):
        return stem in tables or name == "changes.csv"
    return name in (DUCKDB_NAME, f"{DUCKDB_NAME}.sha256", SQL_NAME) or kind == "zip" or dot + kind in DESCRIBING


def shown(name: str) -> str:
    """A file name that can be printed: one that could steer a terminal is shown with escapes."""
    return name if name.isprintable() and name.isascii() else ascii(name)
