"""Reads the small CSV files that people keep by hand; errors name file and line."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from pipeline.base.errors import DataError, Problem


def read_rows(file: Path, where: str, header: Sequence[str]) -> list[tuple[int, list[str]]]:
    """The lines below the header with their numbers, empty ones left out. Raises DataError for what is no CSV in UTF-8,
    for another header, and for lines with more or fewer cells."""
    try:
        found, rows = _read(file)
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError([Problem(where, "", "", "", str(error), "restore it with `git checkout`")]) from error
    if found != list(header):
        remedy = f"it must be {','.join(header)}"
        raise DataError([Problem(f"{where}:1", "", "", ",".join(found), "wrong header", remedy)])
    remedy = f"a line has {len(header)} cells; quote a cell that contains a comma"
    ragged = [(number, row) for number, row in rows if len(row) != len(header)]
    if ragged:
        raise DataError(
            [Problem(f"{where}:{number}", row[0], "", "", f"{len(row)} cells", remedy) for number, row in ragged]
        )
    return rows


def _read(file: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    with file.open(encoding="utf-8", newline="") as handle:
        reader = csv.reader(handle, strict=True)
        found = next(reader, [])
        return found, [(reader.line_num, row) for row in reader if row]
