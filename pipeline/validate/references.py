"""Checks that every reference from one table to another leads to an existing row."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pipeline.errors import Problem
from pipeline.frames import is_in, items_of
from pipeline.schema import Column, TableSchema
from pipeline.validate.cells import row_key


def check_references(tables: Mapping[str, pd.DataFrame], schemas: Mapping[str, TableSchema]) -> list[Problem]:
    """Every value that refers to a row of another table which does not exist."""
    links = [(t, c) for t in tables for c in schemas[t].columns if c.references]
    return [problem for t, c in links for problem in _dangling(tables, schemas[t], c)]


def _dangling(tables: Mapping[str, pd.DataFrame], table: TableSchema, column: Column) -> list[Problem]:
    target, key = str(column.references).split(".")
    values = tables[table.name][column.name].dropna()
    if column.type == "list":
        items, places = items_of(values)
        values = items.set_axis(values.index[places])
    lost = values[~is_in(values, tables[target][key])]
    frame = tables[table.name]
    return [
        Problem(
            table.name,
            row_key(frame, index, table),
            column.name,
            str(value),
            f"is not in {column.references}",
            "this is a bug in the pipeline; please report it",
        )
        for index, value in lost.items()
    ]
