"""CSV, JSON, Parquet, Excel and Stata. CSV and JSON hold the rows alone, so that every program can open them; a Data
Package beside them says what the columns mean and where the rows come from. The others hold both."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from datetime import datetime
from io import BytesIO
from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from traincompute.base.errors import InputError
from traincompute.citation import ABOUT
from traincompute.export.content import Content
from traincompute.query.rendering import escape_formulas, in_csv_order, to_frame, write_csv
from traincompute.show.values import json_text

TYPES = {"bool": "boolean", "int64": "integer", "int32": "integer", "double": "number", "date32[day]": "date"}
SHEET_ROWS, CELL_SIGNS = 1_048_575, 32_767  # what a sheet of Excel can hold, below the heading
EXCEL_EPOCH = pd.Timestamp(1900, 3, 1)  # Excel takes 1900 for a leap year; earlier days are written as texts
AS_TEXT = {"strings_to_formulas": False, "strings_to_numbers": False, "strings_to_urls": False, "in_memory": True}
STATA_LABEL, STATA_TEXT = 80, 244  # characters; a longer text is kept once, outside of its row


def csv_file(content: Content, path: Path) -> None:
    """As in a release: ;-joined lists, an apostrophe before what a spreadsheet would run."""
    with path.open("wb") as opened:
        write_csv(escape_formulas(in_csv_order(content.name, content.flat)), opened.write)


def json_file(content: Content, path: Path) -> None:
    """A list of objects."""
    rows = ",\n ".join(json_text(row) for row in content.data.to_pylist())
    path.write_text(f"[\n {rows}\n]\n" if rows else "[]\n", encoding="utf-8")


def data_package(content: Content, name: str) -> str:
    """The Data Package that describes the CSV or JSON file of that name."""
    kind = Path(name).suffix[1:].lower()
    data = content.flat if kind == "csv" else content.data
    fields = []
    for field, (description, unit) in zip(data.schema, content.columns, strict=True):
        is_list = pa.types.is_list(field.type)
        entry = {"name": field.name, "type": "array" if is_list else TYPES.get(str(field.type), "string")}
        fields.append(entry | {"description": description, **({"unit": unit} if unit else {})})
    described = {
        "name": f"traincompute-{content.name.replace('_', '-')}",
        "title": ABOUT["title"],
        "version": content.edition["version"],
        "citation": content.citation,
        "licenses": [{"name": ABOUT["licence"], "path": ABOUT["licence_url"]}],
        "sources": [{"title": row["attribution"], "path": row["url"]} for row in content.sources if row["url"]],
        "resources": [{"name": content.name, "path": name, "format": kind, "schema": {"fields": fields}}],
    }
    return json.dumps(described, ensure_ascii=False, indent=1) + "\n"


def parquet_file(content: Content, path: Path) -> None:
    """Description and unit are in the metadata of each column, the citation in that of the table."""
    fields = [
        field.with_metadata({"description": description, **({"unit": unit} if unit else {})})
        for field, (description, unit) in zip(content.data.schema, content.columns, strict=True)
    ]
    about = {"title": ABOUT["title"], "licence": ABOUT["licence"], "version": content.edition["version"]}
    schema = pa.schema(fields, about | {"citation": content.citation})
    parquet.write_table(content.data.cast(schema), path, compression="zstd")


def excel_file(content: Content, path: Path) -> None:
    """A sheet with the rows, one that says what each column means, one that says where they come from. Raises
    InputError for more than a sheet can hold."""
    import xlsxwriter  # noqa: F401 (an extra of the package, which pandas would miss in other words)

    data = to_frame(content.flat)
    for name in _of_kind(data, "M"):
        if data[name].min() < EXCEL_EPOCH:
            data[name] = data[name].astype("str").where(data[name].notna())
    too_long = any(data[name].str.len().gt(CELL_SIGNS).any() for name in _of_kind(data, "O"))
    if len(data) > SHEET_ROWS or too_long:
        raise InputError(f"Excel holds {SHEET_ROWS:,} rows and {CELL_SIGNS:,} characters in a cell; export CSV")
    about = {
        "version": content.edition["version"],
        "facts to": content.edition["facts_until"],
        "entered by hand to": content.edition["entered_until"],
        "licence": f"{ABOUT['licence']}, {ABOUT['licence_url']}",
        "how to cite": content.citation.splitlines()[0],
    }
    origin = [*about.items(), *(("with facts of", row["attribution"]) for row in content.sources)]
    meanings = [(name, unit, text) for name, (text, unit) in zip(data, content.columns, strict=True)]
    sheets = {
        content.name[:31]: data,
        "columns": pd.DataFrame(meanings, columns=["column", "unit", "meaning"]),
        "about": pd.DataFrame(origin, columns=["what", ""]),
    }
    made, form = BytesIO(), "yyyy-mm-dd"
    with pd.ExcelWriter(made, "xlsxwriter", form, f"{form} hh:mm:ss", engine_kwargs={"options": AS_TEXT}) as writer:
        writer.book.set_properties({"title": ABOUT["title"], "comments": content.citation, "created": _day(content)})
        for name, sheet in sheets.items():
            sheet.to_excel(writer, sheet_name=name, index=False, freeze_panes=(1, 1))
    path.write_bytes(made.getvalue())


def stata_file(content: Content, path: Path) -> None:
    """Stata's version 118: days are %td, whole numbers and truth (0 and 1) are doubles, the meaning and unit of a
    column is its label. pandas replaces names that Stata does not allow; these have no label. Raises InputError for a
    number that Stata cannot hold."""
    frame, labels = to_frame(content.flat), {}
    for name, (description, unit) in zip(list(frame), content.columns, strict=True):
        kind, of_unit = frame[name].dtype.kind, f" [{unit}]" if unit else ""
        labels[name] = description[: STATA_LABEL - len(of_unit)] + of_unit
        if kind in "iu" and frame[name].abs().gt(2**53).any():
            raise InputError(f"column {name} holds numbers that Stata cannot hold exactly; cast it to double")
        if kind in "biuf":
            frame[name] = frame[name].astype("float64")
        elif kind == "M":
            frame[name] = frame[name].astype("datetime64[ns]")
        else:
            frame[name] = frame[name].astype("object").where(frame[name].notna(), "").map(str)
    texts = _of_kind(frame, "O")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the names
        try:
            frame.to_stata(
                path,
                write_index=False,
                version=118,
                convert_dates=dict.fromkeys(_of_kind(frame, "M"), "td"),
                convert_strl=[name for name in texts if frame[name].map(len).max() > STATA_TEXT],
                variable_labels=labels,
                data_label=f"traincompute {content.edition['version']}, {content.name}, CC BY 4.0"[:STATA_LABEL],
                time_stamp=_day(content),
            )
        except ValueError as error:  # an infinite number
            raise InputError(f"Stata cannot hold this: {error}") from error


def _of_kind(frame: pd.DataFrame, kind: str) -> list[str]:
    return [str(name) for name in frame if frame[name].dtype.kind == kind]


def _day(content: Content) -> datetime:
    """The day that the file gives as its own, so that the same rows give the same bytes."""
    return datetime.fromisoformat(content.edition["date"] or content.edition["facts_until"])


WRITERS: dict[str, Callable[[Content, Path], None]] = {
    ".csv": csv_file,
    ".json": json_file,
    ".parquet": parquet_file,
    ".xlsx": excel_file,
    ".dta": stata_file,
}
