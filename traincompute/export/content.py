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
    """The rows of a table or view in the order of its key, or those of a query, whose columns mean what they mean in
    the first table that it names. Raises NotFoundError or QueryError."""
    text = query or f'select * from "{table}"'
    known = table_names(connection)
    if table and table not in known:
        raise NotFoundError(no_table(connection, table))
    data = run_to_table(connection, text)
    meanings: dict[str, Column] = {}
    for name in known:
        if re.search(rf"\b(?:from|join)\s+\"?{name}\b", text, re.IGNORECASE):
            for row in read_columns(connection, name):
                meanings.setdefault(row["name"], Column(row["description"], row["unit"] or ""))
    columns = [meanings.get(name, Column()) for name in data.column_names]
    return Content(table or "query", data, columns, edition, to_name(rows(connection, "from sources")))
