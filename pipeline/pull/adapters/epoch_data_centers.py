"""Epoch AI's timelines of data centers: one record per data center and day on which its state changed."""

from __future__ import annotations

import re

from pipeline.pull.tabular import Reading, name_records, plain_facts, read_table
from pipeline.registry.sources import Source

NOTHING = re.compile(r"0(?:\.0*)?(?: .*)?")  # before anything runs


def read(content: bytes, source: Source, where: str) -> Reading:
    """Power, chips in H100 equivalents and cost of each state; cells of 0 are left out."""
    table = read_table(content, source, where)
    center, day = table.columns["data_center"], table.columns["date"]
    rows = [{**row, "name": f"{row[center]} {row[day]}"} for row in table.rows]
    records, columns = name_records(rows, "name", None), {"name": "name", **table.columns}
    facts = [fact for record, row in records for fact in plain_facts(record, row, columns)]
    facts = [fact for fact in facts if not NOTHING.fullmatch(fact.value_text)]
    return Reading(facts, len(rows), len(rows) - len(records), table.unknown)
