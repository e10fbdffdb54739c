"""CSV, JSON and Parquet. CSV and JSON hold the rows alone, so that everything can open them; what the columns mean and
where the rows come from stands in a Data Package beside them. Parquet has room for both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from traincompute.citation import ABOUT
from traincompute.export.content import Content
from traincompute.query.rendering import escape_formulas, in_csv_order
from traincompute.query.rendering import write_csv as write_rows
from traincompute.show.values import json_text

TYPES = (
    (pa.types.is_boolean, "boolean"),
    (pa.types.is_integer, "integer"),
    (pa.types.is_floating, "number"),
    (pa.types.is_decimal, "number"),
    (pa.types.is_date, "date"),
    (pa.types.is_timestamp, "datetime"),
)


def write_csv(content: Content, path: Path) -> None:
    """Writes the rows as the CSV files of a release have them: in their order, lists ;-joined, an apostrophe before
    what a spreadsheet would take for a formula."""
    with path.open("wb") as file:
        write_rows(escape_formulas(in_csv_order(content.name, content.flat)), file.write)


def write_json(content: Content, path: Path) -> None:
    """Writes one list with an object per row; lists are arrays, dates texts, what is missing null."""
    rows = ",\n ".join(json_text(row) for row in content.data.to_pylist())
    path.write_text(f"[\n {rows}\n]\n" if rows else "[]\n", encoding="utf-8")


def write_parquet(content: Content, path: Path) -> None:
    """Writes the rows with description and unit in the metadata of each column, and the citation in that of the
    file."""
    fields = [
        field.with_metadata({"description": column.description, **({"unit": column.unit} if column.unit else {})})
        for field, column in zip(content.data.schema, content.columns, strict=True)
    ]
    about = {"title": ABOUT["title"], "version": content.edition["version"], "licence": ABOUT["licence"]}
    schema = pa.schema(fields, metadata={**about, "citation": content.citation})
    parquet.write_table(content.data.cast(schema), path, compression="zstd")


def describe(content: Content, file: str) -> str:
    """The Data Package that describes the CSV or JSON file of that name."""
    kind, licence = Path(file).suffix[1:], {"name": ABOUT["licence"], "path": ABOUT["licence_url"]}
    described: dict[str, Any] = {
        "name": f"traincompute-{content.name.replace('_', '-')}",
        "title": ABOUT["title"],
        "version": content.edition["version"],
        "citation": content.citation,
        "licenses": [licence],
        "sources": [{"title": row["attribution"], "path": row["url"]} for row in content.sources if row["url"]],
        "resources": [
            {"name": content.name, "path": file, "format": kind, "schema": {"fields": _fields(content, kind)}}
        ],
    }
    return json.dumps(described, ensure_ascii=False, indent=1) + "\n"


def _fields(content: Content, kind: str) -> list[dict[str, str]]:
    data = content.flat if kind == "csv" else content.data
    return [
        {"name": field.name, "type": _type(field.type), "description": column.description}
        | ({"unit": column.unit} if column.unit else {})
        for field, column in zip(data.schema, content.columns, strict=True)
    ]


def _type(kind: pa.DataType) -> str:
    found = next((name for holds, name in TYPES if holds(kind)), "string")
    return "array" if pa.types.is_list(kind) else found
