"""The cells of a workbook (xls or xlsx), read in a process of its own: a few bytes in one can claim a sheet of any
size."""

from __future__ import annotations

import io
import zipfile

from python_calamine import load_workbook

from pipeline.base.errors import DataError
from pipeline.pull.bounded import BoundedError, Limits, run_bounded

LIMITS = Limits(seconds=30.0, memory=400_000_000)  # the largest list of TOP500, 0.5 MB, takes 0.2 s and 20 MB
LARGEST = 20_000_000  # bytes of a file
LARGEST_UNPACKED = 100_000_000  # bytes of all members of an xlsx
MOST_CELLS = 1_000_000

Cell = str | float | bool


def read_cells(content: bytes, where: str) -> list[list[Cell]]:
    """The rows of the first sheet; a cell that is neither number, truth nor text is its text. Raises DataError."""
    reason = "larger than 20 MB" if len(content) > LARGEST else _too_much_packed(content)
    if not reason:
        try:
            cells: list[list[Cell]] = run_bounded("pipeline.pull.workbook:first_sheet", content, LIMITS)
            return cells
        except BoundedError as error:
            reason = str(error)
    remedy = "fetch the file again; if that does not help, tell its publisher"
    raise DataError.of(where, f"not a spreadsheet that can be read: {reason}", remedy)


def first_sheet(content: bytes) -> list[list[Cell]]:
    """The rows of the first sheet. What the bounded process runs."""
    sheet = load_workbook(io.BytesIO(content)).get_sheet_by_index(0)
    if sheet.height * sheet.width > MOST_CELLS:
        raise ValueError(f"it has {sheet.height} rows of {sheet.width} cells")
    return [[cell if isinstance(cell, Cell) else str(cell) for cell in row] for row in sheet.to_python()]


def _too_much_packed(content: bytes) -> str:
    """What is wrong with the sizes that the members of an xlsx announce, if anything; an xls has no members."""
    if not content.startswith(b"PK"):
        return ""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        return f"damaged archive: {error}"
    return f"unpacks to {size / 1e6:.0f} MB" if size > LARGEST_UNPACKED else ""
