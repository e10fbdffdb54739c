"""Epoch AI's file of GPU clusters: plain columns, some of which state their unit only in the header."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipeline.pull.tabular import Fact, Reading, name_records, plain_facts, read_table
from pipeline.registry.sources import Source

UNIT_IN_HEADER = re.compile(r"\((MW)\)$")
LONGEST_LINK = 200  # 32 archived links of 2026-03-30 are longer, up to several hundred characters of tracking codes


def read(content: bytes, source: Source, where: str) -> Reading:
    """One record per cluster; the 257 rows that share one anonymized name are distinguished by an ordinal."""
    table = read_table(content, source, where)
    records = name_records(table.rows, table.columns["name"], table.columns.get("reference_url"))
    units = {field: match[1] for field, column in table.columns.items() if (match := UNIT_IN_HEADER.search(column))}
    facts = [
        fact._replace(value_text=text)
        for record, row in records
        for fact in plain_facts(record, row, table.columns)
        if (text := _text(fact, units))
    ]
    return Reading(facts, len(table.rows), len(table.rows) - len(records), table.unknown)


def _text(fact: Fact, units: Mapping[str, str]) -> str:
    """The text of the cell with the unit of its column; for a reference only the link, or nothing if it is not a link."""
    if fact.field == "reference_url":
        link = fact.value_text.split()[0]
        return link if link.startswith("http") and len(link) <= LONGEST_LINK else ""
    return f"{fact.value_text} {units[fact.field]}" if fact.field in units else fact.value_text
