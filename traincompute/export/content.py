"""What is exported: rows, what their columns mean, and the release and sources that they come from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from traincompute.base.errors import NotFoundError
from traincompute.citation import cite_as, to_name
from traincompute.query.catalogue import read_columns
from traincompute.query.errors import no_table, table_names
from traincompute.query.rendering import flatten
from traincompute.query.rows import rows
from traincompute.query.run import run_to_table
from traincompute.show.values import json_text


class Column(NamedTuple):
    """What a column means; both are "" where the dataset does not say."""

    description: str = ""
    unit: str = ""


class Content(NamedTuple):
    """Rows with the meaning of each column, the edition that they come from (see citation.cite_as) and its sources."""

    name: str
    data: pa.Table
    columns: Sequence[Column]
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


def read_content(
    connection: duckdb.DuckDBPyConnection, table: str | None, query: str | None, edition: Mapping[str, Any]
) -> Content:
    """The rows of a table or view in the order of its key, or those of a query. Raises NotFoundError or QueryError."""
    text = query or f'select * from "{table}"'
    known = table_names(connection)
    if table and table not in known:
        raise NotFoundError(no_table(connection, table))
    data = run_to_table(connection, text)
    # DuckDB's get_table_names binds what it reads, and joins with USING do not bind
    parsed = rows(connection, "select json_serialize_sql($1) as tree", text)[0]["tree"]
    named = {name.lower() for name in re.findall(r'"table_name":"([^"]+)"', parsed)}
    meanings = _meanings(connection, sorted(named & set(known)))
    columns = [meanings.get(name, Column()) for name in data.column_names]
    return Content(table or "query", data, columns, edition, read_sources(connection))


def read_sources(connection: duckdb.DuckDBPyConnection) -> Sequence[Mapping[str, Any]]:
    """The sources to name with the dataset."""
    return to_name(rows(connection, "select * from sources"))


def _meanings(connection: duckdb.DuckDBPyConnection, tables: Sequence[str]) -> dict[str, Column]:
    """{column: its meaning} of the tables, the first that has it."""
    found: dict[str, Column] = {}
    for table in reversed(tables):
        described = read_columns(connection, table)
        found |= {row["name"]: Column(row["description"], row["unit"] or "") for row in described}
    return found
