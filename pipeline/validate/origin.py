"""Where the cells of a model come from: the line of each fact, so that a message can send a person there."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd

from pipeline.paths import Paths
from pipeline.schema import TableSchema

Origin = Callable[[str, tuple[str, ...]], list[str]]
ELSEWHERE = {"base_model_id": "base_model", "training_run_id": "training_run"}  # column → field of its claim
HOURS = ("chip_hours", "training_hours", "hardware_quantity")
DERIVED = dict.fromkeys(("a100_hours", "h100_hours", "training_cost_cloud_usd"), HOURS)  # column → fields it comes from


def nowhere(_key: str, _columns: tuple[str, ...]) -> list[str]:
    """The origin of rows that are not made from claims."""
    return []


def origin_of(paths: Paths, claims: pd.DataFrame, table: TableSchema) -> Origin:
    """Gives, for a model_id and columns of models, the file and line of each selected fact behind them."""

    def find(key: str, columns: tuple[str, ...]) -> list[str]:
        fields = {field for name in columns for field in fields_of(name.partition(".")[0], table)}
        rows = claims[(claims["model_id"] == key) & (claims["status"] == "selected") & claims["field"].isin(fields)]
        facts = rows[["source_id", "record", "field", "value_text"]].itertuples(index=False)
        return [place for fact in facts for place in _places(paths, *map(str, fact))]

    return find


def fields_of(column: str, table: TableSchema) -> tuple[str, ...]:
    """The fields of the claims that a column is made of: its own, then those that it is worked out from."""
    return ELSEWHERE.get(column) or table.column(column).claim or column, *DERIVED.get(column, ())


def _places(paths: Paths, source: str, record: str, field: str, value: str) -> Iterator[str]:
    for file in sorted((paths.raw / source).glob("facts*.csv")):
        if line := _line(file, [record, field, value]):
            yield f"{paths.short(file)}:{line}"


def _line(file: Path, start: list[str]) -> int | None:
    """The last line of a file of facts that begins with these cells: the newest."""
    with file.open(encoding="utf-8", newline="") as handle:
        rows = csv.reader(handle)
        return max((rows.line_num for row in rows if row[:3] == start), default=None)
