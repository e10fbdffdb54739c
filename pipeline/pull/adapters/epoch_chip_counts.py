"""Epoch AI's counts of chips: one record per designer, chip (or all of a designer), owner
(or all) and quarter or span of quarters."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipeline.pull.tabular import Fact, Reading, name_records, plain_facts, read_table
from pipeline.registry.sources import Source

AMERICAN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")


def read(content: bytes, source: Source, where: str) -> Reading:
    """Units, H100 equivalents and power with their 5 % and 95 % points; the name of the file says whether they are of
    one quarter or of all since the first."""
    table = read_table(content, source, where)
    scope = "cumulative" if "cumulative" in where.rpartition("/")[2] else "quarter"
    records = name_records(table.rows, table.columns["name"], None)
    facts = []
    for record, row in records:
        facts += [fact._replace(value_text=_text(fact)) for fact in plain_facts(record, row, table.columns)]
        facts += [Fact(record, "scope", scope), Fact(record, "is_complete", _is_complete(row))]
    return Reading(facts, len(table.rows), len(table.rows) - len(records), table.unknown)


def _text(fact: Fact) -> str:
    """The cell; of a date the order of its parts, which the whole file shows."""
    match = AMERICAN.fullmatch(fact.value_text)
    return f"{match[3]}-{match[1]:0>2}-{match[2]:0>2}" if match else fact.value_text


def _is_complete(row: Mapping[str, str]) -> str:
    """Whether all of the quarter is counted: the quarters of companies do not end with those of the calendar."""
    return "false" if row["Notes"].startswith("Incomplete") else "true"
