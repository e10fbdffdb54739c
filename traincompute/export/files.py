"""Rows as CSV, JSON or Parquet. CSV and JSON hold the rows alone, so that every program can open them; a Data
Package beside them says what the columns mean and where the rows come from. Parquet holds both."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
from pyarrow import parquet

from traincompute.base.errors import NotFoundError
from traincompute.citation import ABOUT, cite_as, to_name
from traincompute.query.catalogue import read_columns
from traincompute.query.errors import no_table, table_names
from traincompute.query.rendering import escape_formulas, flatten, in_csv_order, write_csv
from traincompute.query.rows import rows
from traincompute.query.run import run_to_table
from traincompute.show.values import json_text

TYPES = {"bool": "boolean", "int64": "integer", "int32": "integer", "double": "number", "date32[day]": "date"}
Meaning = Mapping[str, str]  # description and, where the column has one, unit


class Content(NamedTuple):
    """Rows with the meaning of each column, the edition that they come from (see citation.cite_as) and its sources."""

    name: str
    data: pa.Table
    meanings: Sequence[Meaning]
    edition: Mapping[str, Any]
    sources: Sequence[Mapping[str, Any]]

    @property
    def citation(self) -> str:
        return cite_as("text", self.edition, self.sources)

    @property
    def flat(self) -> pa.Table:
        """The rows with lists of texts ;-joined, other nested values as JSON, and decimals as floats."""
        data = self.data
        for number, field in enumerate(data.schema):
            texts = pa.types.is_list(field.type) and pa.types.is_string(field.type.value_type)
            if pa.types.is_decimal(field.type):
                data = data.set_column(number, field.name, data[number].cast(pa.float64()))
            elif pa.types.is_nested(field.type) and not texts:
                values = [None if value is None else json_text(value) for value in data[number].to_pylist()]
                data = data.set_column(number, field.name, pa.array(values, pa.string()))
        return flatten(data)


def meaning(description: str | None, unit: str | None) -> Meaning:
    return {"description": description or "", **({"unit": unit} if unit else {})}


def read_content(
    connection: duckdb.DuckDBPyConnection, table: str | None, query: str | None, edition: Mapping[str, Any]
) -> Content:
    """The rows of a table or view in the order of its key, or those of a query, whose columns mean what they mean in
    the first table that it names. Raises NotFoundError or QueryError."""
    known, text = table_names(connection), query or f'select * from "{table}"'
    if table and table not in known:
        raise NotFoundError(no_table(connection, table))
    data, held = run_to_table(connection, text), dict[str, Meaning]()
    for name in known:
        if re.search(rf"\b(?:from|join)\s+\"?{name}\b", text, re.IGNORECASE):
            for row in read_columns(connection, name):
                held.setdefault(row["name"], meaning(row["description"], row["unit"]))
    meanings = [held.get(name, meaning("", "")) for name in data.column_names]
    return Content(table or "query", data, meanings, edition, to_name(rows(connection, "from sources")))


def csv_file(content: Content, path: Path) -> None:
    """As in a release: ;-joined lists, an apostrophe before what a spreadsheet would run."""
    with path.open("wb") as opened:
        write_csv(escape_formulas(in_csv_order(content.name, content.flat)), opened.write)


def json_file(content: Content, path: Path) -> None:
    """A list of objects."""
    rows = ",\n ".join(map(json_text, content.data.to_pylist()))
    path.write_text(f"[\n {rows}\n]\n", encoding="utf-8")


def data_package(content: Content, name: str) -> str:
    """The Data Package that describes the CSV or JSON file of that name."""
    kind = Path(name).suffix[1:].lower()
    data = content.flat if kind == "csv" else content.data
    kinds = {f.name: "array" if pa.types.is_list(f.type) else TYPES.get(str(f.type), "string") for f in data.schema}
    fields = [{"name": c, "type": kinds[c], **says} for c, says in zip(kinds, content.meanings, strict=True)]
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
    described = zip(content.data.schema, content.meanings, strict=True)
    about = {"title": ABOUT["title"], "licence": ABOUT["licence"], "version": content.edition["version"]}
    schema = pa.schema([field.with_metadata(says) for field, says in described], about | {"citation": content.citation})
    parquet.write_table(content.data.cast(schema), path, compression="zstd")


WRITERS: dict[str, Callable[[Content, Path], None]] = {
    ".csv": csv_file,
    ".json": json_file,
    ".parquet": parquet_file,
}
