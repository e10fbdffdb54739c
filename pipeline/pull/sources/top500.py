"""A TOP500 list (xls or xlsx) → one record of aggregates: the first, the last and the sum. No row of a list becomes
a fact of its own, because the source's terms do not say that rows may be redistributed."""

from __future__ import annotations

import math
import re

from pipeline.config import Source
from pipeline.errors import DataError
from pipeline.names import clean_name
from pipeline.pull.ledger import Fact
from pipeline.pull.tabular import Reading
from pipeline.pull.workbook import Cell, read_cells

SYSTEMS = 500
FILE_NAME = re.compile(r"TOP500_([0-9]{4})([0-9]{2})\.xlsx?$")
RATE = re.compile(r"(rmax|rpeak)(?: \[([GTPE])flop/s\])?", re.IGNORECASE)
FIRST_IN_TERAFLOPS = "2017-06"  # the first list whose Rmax and Rpeak are in TFlop/s; headers say so from 2018-11 only


def read(content: bytes, source: Source, where: str) -> Reading:
    """The aggregates of the list, whose month is in the file name, TOP500_YYYYMM; rates carry the unit of the list.

    Raises DataError for a file that does not hold 500 systems in the order of their Rmax."""
    if not (named := FILE_NAME.search(where)):
        raise DataError.of(where, "the file name does not say which list it is", "name it TOP500_YYYYMM.xls or .xlsx")
    month, rows = f"{named[1]}-{named[2]}", _systems(content, where)
    # the name of a system; if it has none, the model that its description begins with
    name = clean_name(str(rows[0].get("Name") or "")) or clean_name(str(rows[0]["Computer"]).split(",")[0])
    cells = {"name": month, "list_date": month, "number_one_name": name, "systems": str(len(rows))}
    for rate in ("rmax", "rpeak"):
        values, unit = _rates(rows, rate, month, where)
        numbers = {"first": values[0], "last": values[-1], "sum": math.fsum(values)}
        cells |= {f"{rate}_{what}": f"{repr(number).removesuffix('.0')} {unit}" for what, number in numbers.items()}
    del cells["rpeak_last"]
    return Reading([Fact(month, field, text) for field, text in cells.items()], 1)


def _systems(content: bytes, where: str) -> list[dict[str, Cell]]:
    """The rows below the header (some lists have a title above it), ranks 1 to 500 in order."""
    lines = read_cells(content, where)
    start = next((number for number, line in enumerate(lines[:5]) if "Rank" in line), None)
    if start is None:
        raise DataError.of(where, "no column Rank in the first five rows", "look at the sheet; its form has changed")
    header = [str(cell).strip() for cell in lines[start]]
    rows = [dict(zip(header, line, strict=True)) for line in lines[start + 1 :]]
    rows = [row for row in rows if row["Rank"] != ""]
    if [row["Rank"] for row in rows] != list(range(1, SYSTEMS + 1)):
        raise DataError.of(where, f"{len(rows)} rows, ranks 1 to {SYSTEMS} expected", "the file is cut; fetch it again")
    return rows


def _rates(rows: list[dict[str, Cell]], name: str, month: str, where: str) -> tuple[list[float], str]:
    """The column in the unit that its header states, otherwise in the unit that lists used at the time."""
    columns = {column: match for column in rows[0] if (match := RATE.fullmatch(column)) and match[1].lower() == name}
    column = next(iter(columns), "")
    values = [float(cell) for row in rows if isinstance(cell := row.get(column), int | float) and cell > 0]
    remedy = "look at the sheet; its form has changed, or cells have moved"
    if len(values) != SYSTEMS:
        raise DataError.of(where, f"{len(values)} of {SYSTEMS} systems have {name}", remedy)
    if name == "rmax" and values != sorted(values, reverse=True):
        raise DataError.of(where, "the systems do not stand in the order of rmax", remedy)
    prefix = (columns[column][2] or ("G" if month < FIRST_IN_TERAFLOPS else "T")).upper()
    return values, f"{prefix}FLOP/s"
