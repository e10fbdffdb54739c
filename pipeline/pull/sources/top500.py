"""A TOP500 list (xls or xlsx) → one record of aggregates: the first, the last and the sum. No row of a list becomes
a fact of its own, because the source's terms do not say that rows may be redistributed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from pipeline.base.errors import DataError
from pipeline.base.names import clean_name
from pipeline.pull.tabular import Fact, Reading
from pipeline.pull.workbook import Cell, read_cells
from pipeline.registry.sources import Source

SYSTEMS = 500
FILE_NAME = re.compile(r"TOP500_([0-9]{4})([0-9]{2})\.xlsx?$")
RATE = re.compile(r"(rmax|rpeak)(?: \[([GTPE])flop/s\])?", re.IGNORECASE)
FIRST_IN_TERAFLOPS = "2017-06"  # the first list whose Rmax and Rpeak are in TFlop/s; headers say so from 2018-11 only


def read(content: bytes, source: Source, where: str) -> Reading:
    """The aggregates of the list, whose month is in the file name, TOP500_YYYYMM; rates carry the unit of the list.

    Raises DataError for a file that does not hold 500 systems in the order of their Rmax."""
    month = _month(where)
    rows = _systems(content, where)
    rates = {name: _rates(rows, name, month, where) for name in ("rmax", "rpeak")}
    values = {
        "name": month,
        "list_date": month,
        "number_one_name": _name(rows[0]),
        "systems": str(len(rows)),
        **{f"{name}_first": _text(column[0], unit) for name, (column, unit) in rates.items()},
        "rmax_last": _text(rates["rmax"][0][-1], rates["rmax"][1]),
        **{f"{name}_sum": _text(math.fsum(column), unit) for name, (column, unit) in rates.items()},
    }
    return Reading([Fact(month, field, text) for field, text in values.items()], 1)


def _month(where: str) -> str:
    match = FILE_NAME.search(where)
    if not match:
        raise DataError.of(where, "the file name does not say which list it is", "name it TOP500_YYYYMM.xls or .xlsx")
    return f"{match[1]}-{match[2]}"


def _systems(content: bytes, where: str) -> list[dict[str, Cell]]:
    """The rows below the header (some lists have a title above it), ranks 1 to 500 in order."""
    cells = read_cells(content, where)
    start = next((number for number, row in enumerate(cells[:5]) if "Rank" in row), None)
    if start is None:
        raise DataError.of(where, "no column Rank in the first five rows", "look at the sheet; its form has changed")
    header = [str(cell).strip() for cell in cells[start]]
    rows = [dict(zip(header, row, strict=True)) for row in cells[start + 1 :] if row[header.index("Rank")] != ""]
    if [row["Rank"] for row in rows] != list(range(1, SYSTEMS + 1)):
        raise DataError.of(where, f"{len(rows)} rows, ranks 1 to {SYSTEMS} expected", "the file is cut; fetch it again")
    return rows


def _rates(rows: list[dict[str, Cell]], name: str, month: str, where: str) -> tuple[list[float], str]:
    """The column in the unit that its header states, otherwise in the unit that lists used at the time."""
    column, prefix = next(_columns_of(rows[0], name), ("", None))
    values = [float(cell) for row in rows if isinstance(cell := row.get(column), int | float) and cell > 0]
    if len(values) != SYSTEMS:
        raise DataError.of(
            where, f"{len(values)} of {SYSTEMS} systems have {name}", "look at the sheet; its form has changed"
        )
    if name == "rmax" and values != sorted(values, reverse=True):
        raise DataError.of(
            where, "the systems do not stand in the order of rmax", "look at the sheet; cells have moved"
        )
    return values, f"{prefix or ('G' if month < FIRST_IN_TERAFLOPS else 'T')}FLOP/s"


def _columns_of(row: Mapping[str, object], name: str) -> Iterator[tuple[str, str | None]]:
    """The columns that hold a rate, each with the prefix of the unit in its header."""
    matches = ((column, RATE.fullmatch(column)) for column in row)
    return ((column, match[2] and match[2].upper()) for column, match in matches if match and match[1].lower() == name)


def _name(row: Mapping[str, object]) -> str:
    """The name of a system; if it has none, the model that its description begins with."""
    return clean_name(str(row.get("Name") or "")) or clean_name(str(row["Computer"]).split(",")[0])


def _text(value: float, unit: str) -> str:
    return f"{repr(value).removesuffix('.0')} {unit}"
