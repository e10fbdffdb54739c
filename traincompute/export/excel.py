"""An Excel workbook: a sheet with the rows, one that says what each column means, one that says what they come from."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import xlsxwriter
from xlsxwriter.exceptions import FileCreateError

from traincompute.base.errors import InputError
from traincompute.citation import ABOUT
from traincompute.export.content import Content

MOST_ROWS = 1_048_575  # below the heading
LONGEST_TEXT = 32_767
LONGEST_NAME = 31
EPOCH = date(1900, 3, 1)  # Excel takes 1900 for a leap year; earlier days are written as texts
OPTIONS = {"constant_memory": True, "strings_to_numbers": False, "strings_to_formulas": False, "strings_to_urls": False}


def write_xlsx(content: Content, path: Path) -> None:
    """Writes the workbook. Raises InputError for more rows, or a longer text, than a sheet can hold, OSError where
    the disk does not allow it."""
    if content.data.num_rows > MOST_ROWS:
        raise InputError(f"{content.data.num_rows:,} rows are more than a sheet holds ({MOST_ROWS:,}); export CSV")
    made = BytesIO()  # a ZipFile on a full disk complains once more when it is forgotten
    with tempfile.TemporaryDirectory(prefix="traincompute-") as folder:
        try:
            _write_book(content, made, folder)
        except FileCreateError as error:
            raise OSError(str(error)) from error
    path.write_bytes(made.getvalue())


def _write_book(content: Content, made: BytesIO, folder: str) -> None:
    data = content.flat
    with xlsxwriter.Workbook(made, {**OPTIONS, "tmpdir": folder}) as book:
        day = datetime.fromisoformat(content.edition["date"] or content.edition["facts_until"])
        book.set_properties({"title": ABOUT["title"], "comments": content.citation, "created": day})
        formats = {"bold": book.add_format({"bold": True}), "day": book.add_format({"num_format": "yyyy-mm-dd"})}
        columns = [data[number].to_pylist() for number in range(data.num_columns)]
        _sheet(book, formats, content.name[:LONGEST_NAME], data.column_names, zip(*columns, strict=True))
        meanings = ((name, *column[::-1]) for name, column in zip(data.column_names, content.columns, strict=True))
        _sheet(book, formats, "columns", ["column", "unit", "meaning"], meanings)
        _sheet(book, formats, "about", ["what", ""], _about(content))


def _about(content: Content) -> Iterable[tuple[str, str]]:
    yield "version", content.edition["version"]
    yield "facts to", content.edition["facts_until"]
    yield "entered by hand to", content.edition["entered_until"]
    yield "licence", f"{ABOUT['licence']}, {ABOUT['licence_url']}"
    yield "how to cite", content.citation.splitlines()[0]
    yield from (("with facts of", row["attribution"]) for row in content.sources)


def _sheet(
    book: Any, formats: dict[str, Any], name: str, heading: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    sheet = book.add_worksheet(name)
    sheet.freeze_panes(1, 1)
    sheet.write_row(0, 0, heading, formats["bold"])
    for number, row in enumerate(rows, 1):
        for place, value in enumerate(row):
            if value is not None and value != "":
                _cell(sheet, number, place, value, formats["day"])


def _cell(sheet: Any, row: int, column: int, value: Any, day: Any) -> None:
    if isinstance(value, str):
        if len(value) > LONGEST_TEXT:
            raise InputError(f"row {row}, column {column + 1}: a text is longer than a cell of Excel; export CSV")
        sheet.write_string(row, column, value)
    elif isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, int | float):
        sheet.write_number(row, column, value) if value == value else None
    elif isinstance(value, date) and not isinstance(value, datetime) and value >= EPOCH:
        sheet.write_datetime(row, column, value, day)
    else:
        sheet.write_string(row, column, str(value))
