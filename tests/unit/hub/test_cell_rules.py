"""The rules of cells refuse the same cells in memory and on an engine."""

from __future__ import annotations

from datetime import date
from typing import Any

import ibis
import pandas as pd
import pyarrow as pa
import pytest

from pipeline.hub.assertions import check
from pipeline.hub.engine import duckdb_engine
from pipeline.registry.schema import Column, TableSchema
from pipeline.validate.cells import check_table

KEYS = list("vwxyz")


@pytest.mark.parametrize(
    ("kind", "constraints", "cells", "refused"),
    [
        ("number", {"minimum": 1, "maximum": 5}, [0.9, 1, 5, 5.1, None], {"v": "is below 1", "y": "is above 5"}),
        ("number", {"exclusiveMinimum": 0}, [0, 0.1, None], {"v": "is not above 0"}),
        ("date", {"minimum": date(1950, 1, 1)}, ["1950-01-01", "1949-12-31", None], {"w": "is below 1950-01-01"}),
        ("string", {"pattern": "[a-z]{2}"}, ["ab", "abc", None], {"w": "does not match [a-z]{2}"}),
        ("string", {"enum": ["a", "b"]}, ["a", "b", "c", None], {"x": "is not one of ['a', 'b']"}),
        ("string", {"required": True}, ["a", None], {"w": "must not be empty"}),
    ],
)
def test_both_refuse_the_same_cells(
    kind: str, constraints: dict[str, Any], cells: list[Any], refused: dict[str, str]
) -> None:
    columns = (Column("key", "string", ""), Column("cell", kind, "", constraints=constraints))
    table = TableSchema("cells", "", "", ("key",), columns)
    types = {"key": "str", "cell": {"date": "datetime64[s]", "number": "float64"}.get(kind, "str")}
    frame = pd.DataFrame({"key": KEYS[: len(cells)], "cell": cells}).astype(types)
    in_memory = {problem.record: problem.reason for problem in check_table(frame, table, {})}
    rows = ibis.memtable(pa.Table.from_pandas(frame, preserve_index=False))
    found = check(duckdb_engine(), rows.mutate(cell=rows["cell"].cast("date")) if kind == "date" else rows, table)
    assert in_memory == refused
    assert {problem.record: problem.reason.removeprefix("1 row: ") for problem in found} == refused
