"""How much a column of a source may change from one pull to the next: data/raw/<source>/limits.csv, which
`traincompute pull --learn-limits` writes and people may edit."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pipeline.base.csvfile import read_rows
from pipeline.base.errors import DataError


class Limit(NamedTuple):
    """Of the cells of a column: which share may be emptied, and changed; and which part of its share of filled cells,
    and of distinct values, must be left."""

    max_emptied: float
    max_changed: float
    min_filled: float
    min_distinct: float


HEADER = ("field", *Limit._fields, "reason")
UNKNOWN = Limit(max_emptied=0.5, max_changed=0.9, min_filled=0.5, min_distinct=0.1)  # of a column without a history


def read_limits(file: Path, where: str) -> dict[str, tuple[Limit, str]]:
    """{field: its limit, and why a person set it, "" where it was learned}; none where there is no file.

    Raises DataError for a cell that is no share."""
    rows = read_rows(file, where, HEADER) if file.exists() else []
    return {row[0]: (_limit(f"{where}:{number}", row), row[-1]) for number, row in rows}


def _limit(where: str, row: list[str]) -> Limit:
    cells = dict(zip(Limit._fields, row[1:-1], strict=True))
    for name, text in cells.items():
        if not text.isascii() or not text.replace(".", "", 1).isdigit() or float(text) > 1:
            raise DataError.of(
                where, "is no share", "write a number from 0 to 1, such as 0.05", record=row[0], field=name, value=text
            )
    return Limit(*map(float, cells.values()))
