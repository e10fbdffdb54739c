"""Reads and adds to data/raw/curated/declined.csv: models of a hub that the dataset does not want, and why.

No build reads the file: it only keeps `discover` from asking twice.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from datetime import date

from pipeline.base.csvfile import read_rows
from pipeline.base.errors import DataError, Problem
from pipeline.base.paths import Paths
from pipeline.base.whole_files import replace_file
from traincompute.base.locks import sole_writer

HEADER = ("hub_id", "since", "reason")
HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
LONGEST_REASON = 200
Fault = tuple[str, str, str]  # field, reason, remedy


def read_declined(paths: Paths) -> dict[str, list[str]]:
    """{hub_id: the cells of its line}; an absent file means none. Raises DataError with every line that is wrong."""
    if not paths.declined.exists():
        return {}
    where = paths.short(paths.declined)
    lines: dict[str, list[str]] = {}
    problems = []
    for number, cells in read_rows(paths.declined, where, HEADER):
        row = dict(zip(HEADER, cells, strict=True))
        for field, reason, remedy in _faults(row, cells[0] in lines):
            problems.append(Problem(f"{where}:{number}", cells[0], field, row[field], reason, remedy))
        lines[cells[0]] = cells
    if problems:
        raise DataError(problems)
    return lines


def decline(paths: Paths, hub_id: str, reason: str, day: date) -> None:
    """Remembers that a model of the hub is not wanted, in place of what was said of it before. Raises DataError for an
    id, a reason or a file that is wrong."""
    row = dict(zip(HEADER, (hub_id, day.isoformat(), reason), strict=True))
    problems = [Problem("discover", hub_id, field, row[field], *fault) for field, *fault in _faults(row, False)]
    if problems:
        raise DataError(problems)
    with sole_writer(paths.raw):
        lines = read_declined(paths) | {hub_id: list(row.values())}
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([HEADER, *sorted(lines.values())])
        replace_file(paths.declined, text.getvalue())


def _faults(row: dict[str, str], doubled: bool) -> Iterator[Fault]:
    if not HUB_ID.fullmatch(row["hub_id"]):
        yield "hub_id", "is no id of a model", "write account/name, as the hub does"
    if not _is_day(row["since"]):
        yield "since", "is no day", "write it as 2026-11-22"
    if not 0 < len(row["reason"].strip()) <= LONGEST_REASON:
        yield (
            "reason",
            "no reason is given" if not row["reason"].strip() else "is too long",
            (f"say in 1 to {LONGEST_REASON} characters why it is no model for the dataset"),
        )
    if doubled:
        yield "hub_id", "is listed twice", "remove one of the two lines"


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
