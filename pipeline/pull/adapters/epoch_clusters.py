"""Epoch AI's file of GPU clusters: plain columns, some of which state their unit only in the header."""

from __future__ import annotations

from pipeline.pull.tabular import Fact, Reading, name_records, plain_facts, read_table
from pipeline.registry.sources import Source

LONGEST_LINK = 200  # 32 archived links of 2026-03-30 are longer, up to several hundred characters of tracking codes


def read(content: bytes, source: Source, where: str) -> Reading:
    """One record per cluster; the 257 rows that share one anonymized name are distinguished by an ordinal."""
    table = read_table(content, source, where)
    records = name_records(table.rows, table.columns["name"], table.columns.get("reference_url"))
    facts = [
        fact._replace(value_text=text)
        for record, row in records
        for fact in plain_facts(record, row, table.columns)
        if (text := _text(fact))
    ]
    return Reading(facts, len(table.rows), len(table.rows) - len(records), table.unknown)


def _text(fact: Fact) -> str:
    """The text of the cell; for a reference only the link, or nothing if it is not a link."""
    if fact.field != "reference_url":
        return fact.value_text
    link = fact.value_text.split()[0]
    return link if link.startswith("http") and len(link) <= LONGEST_LINK else ""
