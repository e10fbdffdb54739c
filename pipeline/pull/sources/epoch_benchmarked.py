"""Epoch AI's file of benchmarked model versions: the Epoch Capabilities Index of each model with its 90 % interval."""

from __future__ import annotations

from pipeline.config import Source
from pipeline.names import clean_name
from pipeline.pull.ledger import Fact
from pipeline.pull.tabular import Reading, read_table


def read(content: bytes, source: Source, where: str) -> Reading:
    """One record per model that has an index. Of several versions it is that of the one released first: the models of
    this dataset bear the date of their first version, and the best of several would be chosen by its result. Settings
    of effort share one index; of versions of one day the first by name is named."""
    table = read_table(content, source, where)
    day, version = (table.columns[field] for field in ("version_date", "capability_index_version"))
    indexed = [row for row in table.rows if row[table.columns["capability_index"]]]
    first: dict[str, dict[str, str]] = {}
    for row in sorted(indexed, key=lambda row: (row[day] or "9999", row[version])):
        first.setdefault(clean_name(row[table.columns["name"]]), row)
    fields = [field for field in table.columns if field.startswith("capability_index")]
    cells = ((name, field, clean_name(row[table.columns[field]])) for name, row in first.items() for field in fields)
    facts = [Fact(name, field, text) for name, field, text in cells if name and text]
    return Reading(facts, len(first), int("" in first), table.unknown)
