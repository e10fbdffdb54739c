"""A CSV file with one named record per row and one field per column, as source.yml maps them."""

from __future__ import annotations

from pipeline.pull.tabular import Reading, name_records, plain_facts, read_table
from pipeline.registry.sources import Source


def read(content: bytes, source: Source, where: str) -> Reading:
    """One fact per filled cell of the columns that source.yml lists."""
    table = read_table(content, source, where)
    records = name_records(table.rows, table.columns["name"], table.columns.get("reference_url"))
    facts = [fact for record, row in records for fact in plain_facts(record, row, table.columns)]
    return Reading(facts, len(table.rows), len(table.rows) - len(records), table.unknown)
