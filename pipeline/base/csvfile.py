"""Reads the small CSV files that people keep by hand; errors name file and line."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from pipeline.base.errors import DataError, Problem
from pipeline.base.textfile import read_whole, refuse


def read_rows(file: Path, where: str, header: Sequence[str]) -> list[tuple[int, list[str]]]:
    """The lines below the header with their numbers, empty ones left out. Raises DataError for what is no whole CSV in
    UTF-8, for another header, and for lines with more or fewer cells."""
    found, rows = _read(read_whole(file, where), where)
    if found != list(header):
        remedy = f"it must be {','.join(header)}"
        raise DataError.of(f"{where}:1", "wrong header", remedy, value=",".join(found))
    remedy = f"a line has {len(header)} cells; quote a cell that contains a comma"
    ragged = [(number, row) for number, row in rows if len(row) != len(header)]
    DataError.raise_any(
        Problem(f"{where}:{number}", row[0], "", "", f"{len(row)} cells", remedy) for number, row in ragged
    )
    return rows


def _read(text: str, where: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        found = next(reader, [])
        return found, [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise refuse(f"{where}:{reader.line_num}", f"not well-formed: {error}") from error
