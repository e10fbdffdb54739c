"""Epoch AI's counts of chips: one record per designer, chip (or all of a designer), owner (or all) and quarter or span
of quarters."""

from __future__ import annotations

import re

from pipeline.config import Source
from pipeline.pull.ledger import Fact
from pipeline.pull.tabular import Reading, name_records, plain_facts, read_table

AMERICAN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")  # the whole file shows the order of the parts


def read(content: bytes, source: Source, where: str) -> Reading:
    """Units, H100 equivalents and power with their 5 % and 95 % points; the name of the file says whether they are of
    one quarter or of all since the first. The quarters of companies do not end with those of the calendar: a note says
    where not all of a quarter is counted."""
    table = read_table(content, source, where)
    scope = "cumulative" if "cumulative" in where.rpartition("/")[2] else "quarter"
    records = name_records(table.rows, table.columns["name"], None)
    facts = []
    for record, row in records:
        is_complete = "false" if row["Notes"].startswith("Incomplete") else "true"
        facts += [_with_iso_date(fact) for fact in plain_facts(record, row, table.columns)]
        facts += [Fact(record, "scope", scope), Fact(record, "is_complete", is_complete)]
    return Reading(facts, len(table.rows), len(table.rows) - len(records), table.unknown)


def _with_iso_date(fact: Fact) -> Fact:
    day = AMERICAN.fullmatch(fact.value_text)
    return fact._replace(value_text=f"{day[3]}-{day[1]:0>2}-{day[2]:0>2}") if day else fact
