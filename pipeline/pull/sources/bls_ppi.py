"""A price index of the US Bureau of Labor Statistics as published by FRED: one record per series and month."""

from __future__ import annotations

from pipeline.config import Source
from pipeline.names import clean_name
from pipeline.pull.ledger import Fact
from pipeline.pull.tabular import Reading, read_table


def read(content: bytes, source: Source, where: str) -> Reading:
    """Date and value of each row; the series is the name of the column that holds the values."""
    table = read_table(content, source, where)
    series = table.columns["value"]
    rows = [{field: clean_name(row[column]) for field, column in table.columns.items()} for row in table.rows]
    cells = [{"name": f"{series} {row['date'][:7]}", "series": series, **row} for row in rows if row["date"]]
    facts = [Fact(row["name"], field, text) for row in cells for field, text in row.items() if text]
    return Reading(facts, len(rows), len(rows) - len(cells), table.unknown)
