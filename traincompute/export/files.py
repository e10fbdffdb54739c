"""CSV, JSON, Parquet, Excel and Stata. CSV and JSON hold the rows alone, so that every program can open them; a Data
Package beside them says what the columns mean and where the rows come from. The others hold both."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from traincompute.base.errors import InputError
from traincompute.citation import ABOUT
from traincompute.export.content import Column, Content
from traincompute.query.rendering import escape_formulas, in_csv_order, to_frame, write_csv
from traincompute.show.values import json_text

TYPES = {"bool": "boolean", "int64": "integer", "int32": "integer", "double": "number", "date32[day]": "date"}
SHEET_ROWS, CELL_SIGNS = 1_048_575, 32_767  # what a sheet of Excel can hold, below the heading
EXCEL_EPOCH = date(1900, 3, 1)  # Excel takes 1900 for a leap year; earlier days are written as texts
STATA_LABEL, STATA_TEXT = 80, 244  # characters; a longer text is kept once, outside of its row


def write_file(content: Content, file: Path, path: Path) -> None:
    """Writes to `path` what the ending of `file` asks for. Raises InputError for what the format cannot hold, OSError
    where the disk does not allow it."""
    kind = file.suffix.lower()
    if kind == ".csv":  # as in a release: ;-joined lists, an apostrophe before what a spreadsheet would run
        with path.open("wb") as opened:
            write_csv(escape_formulas(in_csv_order(content.name, content.flat)), opened.write)
    elif kind == ".json":
        rows = ",\n ".join(json_text(row) for row in content.data.to_pylist())
        path.write_text(f"[\n {rows}\n]\n" if rows else "[]\n", encoding="utf-8")
    elif kind == ".parquet":
        parquet.write_table(_with_metadata(content), path, compression="zstd")
    elif kind == ".xlsx":
        path.write_bytes(_workbook(content))
    else:
        _write_stata(content, path)


def describe(content: Content, file: Path) -> str:
    """The Data Package that describes the CSV or JSON file of that name."""
    data = content.flat if file.suffix.lower() == ".csv" else content.data
    fields = [
        {"name": field.name, "type": _type(field.type), "description": column.description}
        | ({"unit": column.unit} if column.unit else {})
        for field, column in zip(data.schema, content.columns, strict=True)
    ]
    kind = file.suffix[1:].lower()
    described: dict[str, Any] = {
        "name": f"traincompute-{content.name.replace('_', '-')}",
        "title": ABOUT["title"],
        "version": content.edition["version"],
        "citation": content.citation,
        "licenses": [{"name": ABOUT["licence"], "path": ABOUT["licence_url"]}],
        "sources": [{"title": row["attribution"], "path": row["url"]} for row in content.sources if row["url"]],
        "resources": [{"name": content.name, "path": file.name, "format": kind, "schema": {"fields": fields}}],
    }
    return json.dumps(described, ensure_ascii=False, indent=1) + "\n"


def _type(kind: pa.DataType) -> str:
    return "array" if pa.types.is_list(kind) else TYPES.get(str(kind), "string")


def _with_metadata(content: Content) -> pa.Table:
    """The rows with description and unit in the metadata of each column, and the citation in that of the table."""
    fields = [
        field.with_metadata({"description": column.description, **({"unit": column.unit} if column.unit else {})})
        for field, column in zip(content.data.schema, content.columns, strict=True)
    ]
    edition = {"version": content.edition["version"], "citation": content.citation}
    return content.data.cast(pa.schema(fields, {"title": ABOUT["title"], "licence": ABOUT["licence"], **edition}))


def _day(content: Content) -> datetime:
    """The day that the file gives as its own, so that the same rows give the same bytes."""
    return datetime.fromisoformat(content.edition["date"] or content.edition["facts_until"])


def _workbook(content: Content) -> bytes:
    """A sheet with the rows, one that says what each column means, one that says where they come from."""
    import xlsxwriter  # an extra of the package

    data = content.flat
    if data.num_rows > SHEET_ROWS:
        raise InputError(f"{data.num_rows:,} rows are more than a sheet of Excel holds ({SHEET_ROWS:,}); export CSV")
    about = [
        ("version", content.edition["version"]),
        ("facts to", content.edition["facts_until"]),
        ("entered by hand to", content.edition["entered_until"]),
        ("licence", f"{ABOUT['licence']}, {ABOUT['licence_url']}"),
        ("how to cite", content.citation.splitlines()[0]),
        *(("with facts of", row["attribution"]) for row in content.sources),
    ]
    meanings = ((name, *column[::-1]) for name, column in zip(data.column_names, content.columns, strict=True))
    made = BytesIO()
    with xlsxwriter.Workbook(made, {"in_memory": True}) as book:
        book.set_properties({"title": ABOUT["title"], "comments": content.citation, "created": _day(content)})
        columns = [column.to_pylist() for column in data.columns]
        _add_sheet(book, content.name[:31], data.column_names, zip(*columns, strict=True))
        _add_sheet(book, "columns", ["column", "unit", "meaning"], meanings)
        _add_sheet(book, "about", ["what", ""], about)
    return made.getvalue()


def _add_sheet(book: Any, name: str, heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Adds a sheet whose texts are never taken for formulas, numbers or links."""
    sheet, bold, day = book.add_worksheet(name), book.add_format({"bold": True}), book.add_format()
    day.set_num_format("yyyy-mm-dd")
    sheet.freeze_panes(1, 1)
    for place, text in enumerate(heading):
        sheet.write_string(0, place, text, bold)
    for number, row in enumerate(rows, 1):
        for place, value in enumerate(row):
            if isinstance(value, bool):
                sheet.write_boolean(number, place, value)
            elif isinstance(value, int | float):
                sheet.write_number(number, place, value) if value == value else None
            elif isinstance(value, date) and not isinstance(value, datetime) and value >= EXCEL_EPOCH:
                sheet.write_datetime(number, place, value, day)
            elif len(text := "" if value is None else str(value)) > CELL_SIGNS:
                raise InputError(f"row {number}, column {place + 1}: the text is too long for Excel; export CSV")
            elif text:
                sheet.write_string(number, place, text)


def _write_stata(content: Content, path: Path) -> None:
    """Stata's version 118: days are %td, whole numbers and truth (0 and 1) are doubles, the meaning and unit of a
    column is its label. pandas replaces names that Stata does not allow; these have no label."""
    frame, labels, long = to_frame(content.flat), {}, []
    for name, column in zip(list(frame), content.columns, strict=True):
        kind = frame[name].dtype.kind
        if kind == "M":
            frame[name] = frame[name].astype("datetime64[ns]")
        elif kind in "biuf":
            if kind in "iu" and frame[name].abs().gt(2**53).any():
                raise InputError(f"column {name} holds numbers that Stata cannot hold exactly; cast it to double")
            frame[name] = frame[name].astype("float64")
        else:
            frame[name] = frame[name].astype("object").where(frame[name].notna(), "").map(str)
            long += [name] if frame[name].map(len).max() > STATA_TEXT else []
        labels[name] = _label(column)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the names
        try:
            frame.to_stata(
                path,
                write_index=False,
                version=118,
                convert_dates={name: "td" for name in frame if frame[name].dtype.kind == "M"},
                convert_strl=long,
                variable_labels=labels,
                data_label=f"traincompute {content.edition['version']}, {content.name}, CC BY 4.0"[:STATA_LABEL],
                time_stamp=_day(content),
            )
        except ValueError as error:  # an infinite number
            raise InputError(f"Stata cannot hold this: {error}") from error


def _label(column: Column) -> str:
    """The meaning, cut where it must be, with the unit in brackets."""
    unit = f" [{column.unit}]" if column.unit else ""
    return column.description[: STATA_LABEL - len(unit)] + unit
