"""Tables as CSV, JSON or Parquet files with the meaning of their columns; also in the layout of Epoch AI's CSV file."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
from pyarrow import parquet

from traincompute.base.errors import NotFoundError, no_table
from traincompute.citation import LICENCE, LICENCE_URL, TITLE
from traincompute.database import Row, rows
from traincompute.query.rendering import flatten, for_spreadsheets, write_csv
from traincompute.query.run import list_tables, read_columns, run_to_table
from traincompute.releases import Dataset
from traincompute.show.rows import exact, json_text, whole_file

TYPES = {"bool": "boolean", "int64": "integer", "int32": "integer", "double": "number", "date32[day]": "date"}
EPOCH = Path(__file__).with_name("epoch_columns.csv")  # the columns of 2026-08-19, some with the field of their claims
# which column of ours has the name of theirs
HELD = """
select upstream_name, column_name as column, coalesce(claim, column_name) as field, description, unit
from columns where table_name = 'models' and upstream_name is not null"""
NOTABLE = """
select m.*, b.name as base_model from models m left join models b on b.model_id = m.base_model_id
where m.is_notable order by m.publication_date desc, m.model_id"""
# Epoch AI's own cell, where we selected it; and its word for each of our codes
CELLS = "select model_id, field, value_text from claims where status = 'selected' and publisher = 'Epoch AI'"
WORDS = """
select field, code, mode(value_text) from claims
where publisher = 'Epoch AI' and code not like '%;%' and value_text not like '%,%' group by all"""


class Content(NamedTuple):
    """Rows with what the table `columns` says of each column; nothing of one that it does not know."""

    name: str
    data: pa.Table
    columns: Sequence[Row]


def read_content(connection: duckdb.DuckDBPyConnection, table: str | None, query: str | None) -> Content:
    """The rows of a table or view in the order of its key, or those of a query, whose columns mean what they mean in
    the first table that it names. Raises NotFoundError or QueryError."""
    known, text = [entry["table"] for entry in list_tables(connection)], query or f'select * from "{table}"'
    if table and table not in known:
        raise NotFoundError(no_table(table, known))
    data = run_to_table(connection, text)
    named = [name for name in known if re.search(rf"\b(?:from|join)\s+\"?{name}\b", text, re.IGNORECASE)]
    held = {row["name"]: row for name in reversed(named) for row in read_columns(connection, name)}
    return Content(table or "query", data, [held.get(name, {}) for name in data.column_names])


def epoch_content(connection: duckdb.DuckDBPyConnection, with_imputed: bool) -> Content:
    """The 47 columns of Epoch AI for every notable model, the newest first: texts and numbers, empty where we have no
    value, as in every notes column. Estimates of ours are left out unless `with_imputed`."""
    theirs = dict(line.split(",") for line in EPOCH.read_text(encoding="utf-8").splitlines())
    ours: dict[str, Row] = {name: {"column": field, "field": field} for name, field in theirs.items() if field}
    ours |= {row["upstream_name"]: row for row in rows(connection, HELD)}
    cells = {(model, field): text for model, field, text in connection.execute(CELLS).fetchall()}
    words = {(field, code): word for field, code, word in connection.execute(WORDS).fetchall()}

    def cell(model: Row, column: str, field: str) -> Any:
        value = model.get(column)
        if isinstance(value, float | date):
            source = model.get(f"{column.rpartition('_')[0]}_source")
            return value if with_imputed or source != "imputed" else None
        if value is None and column in model:
            return None
        items = value if isinstance(value, list) else [value]
        in_their_words = ",".join(words.get((field, exact(item)), exact(item)) for item in items)
        return cells.get((model["model_id"], field)) or in_their_words or None

    models, columns = rows(connection, NOTABLE), [ours.get(name, {}) for name in theirs]
    values = [[cell(model, one["column"], one["field"]) if one else None for model in models] for one in columns]
    data = pa.table(list(map(pa.array, values)), names=list(theirs))
    return Content("notable_ai_models", data, columns)


def write_files(content: Content, file: Path, dataset: Dataset) -> str:
    """Writes the rows as the ending of the file says, and of CSV and JSON the Data Package beside it; returns its name,
    or "". CSV is as in a release: ;-joined lists, an apostrophe before what a spreadsheet would run."""
    kind, data = file.suffix.lower(), content.data
    units = [{"unit": column["unit"]} if column.get("unit") else {} for column in content.columns]
    says = [{"description": c.get("description") or ""} | unit for c, unit in zip(content.columns, units, strict=True)]
    about = {"title": TITLE, "version": dataset.version, "citation": dataset.cite("text")}
    with whole_file(file) as path:
        if kind == ".parquet":
            fields = [field.with_metadata(meaning) for field, meaning in zip(data.schema, says, strict=True)]
            described = data.cast(pa.schema(fields, about | {"licence": LICENCE}))
            parquet.write_table(described, path, compression="zstd")
            return ""
        if kind == ".csv":
            data = flatten(data)
            with path.open("wb") as out:
                write_csv(for_spreadsheets(content.name, data), out.write)
        else:
            path.write_text("[\n " + ",\n ".join(map(json_text, data.to_pylist())) + "\n]\n", encoding="utf-8")
    kinds = ["array" if pa.types.is_list(field.type) else TYPES.get(str(field.type), "string") for field in data.schema]
    columns = zip(data.column_names, kinds, says, strict=True)
    schema = {"fields": [{"name": name, "type": type_, **meaning} for name, type_, meaning in columns]}
    package = {"name": f"traincompute-{content.name.replace('_', '-')}", **about} | {
        "licenses": [{"name": LICENCE, "path": LICENCE_URL}],
        "sources": [{"title": row["attribution"], "path": row["url"]} for row in dataset.sources() if row["url"]],
        "resources": [{"name": content.name, "path": file.name, "format": kind[1:], "schema": schema}],
    }
    beside = file.with_name(f"{file.name}.datapackage.json")
    with whole_file(beside) as path:
        path.write_text(json.dumps(package, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return beside.name
