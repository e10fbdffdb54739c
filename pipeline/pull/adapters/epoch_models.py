"""Epoch AI's files of models: plain columns, and the figures in their note columns."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.pull.notes.fragments import read_fragments
from pipeline.pull.tabular import Fact, Reading, name_records, plain_facts, read_table
from pipeline.registry.sources import Source


def read(content: bytes, source: Source, where: str) -> Reading:
    """The facts of every named row; about 150 rows from 2022 have no name and are only counted."""
    table = read_table(content, source, where)
    records = name_records(table.rows, table.columns["name"], table.columns.get("reference_url"))
    facts = [fact for record, row in records for fact in _record_facts(record, row, table.columns, source)]
    return Reading(facts, len(table.rows), len(table.rows) - len(records), table.unknown)


def _record_facts(record: str, row: Mapping[str, str], columns: Mapping[str, str], source: Source) -> list[Fact]:
    plain = plain_facts(record, row, columns)
    cells = {fact.field: fact.value_text for fact in plain}
    notes = [(column, row[column]) for column in source.notes if row.get(column)]
    found = ((part, column) for column, note in notes for part in read_fragments(column, note, cells))
    return plain + [Fact(record, part.field, part.value_text, column) for part, column in found]
