"""The cloud regions of the ML CO2 Impact calculator: one record per provider and region."""

from __future__ import annotations

from pipeline.pull.tabular import Fact, Reading, name_records, plain_facts, read_table
from pipeline.registry.sources import Source

LONGEST_LINK = 200  # four links of 2026-02-26 are longer


def read(content: bytes, source: Source, where: str) -> Reading:
    """Plain columns under a name made of the provider and region codes; a reference is kept only if it is a link."""
    table = read_table(content, source, where)
    code, region, title = (table.columns[field] for field in ("provider", "region", "region_name"))
    named = [{**row, "name": f"{row[code]} {row[region] or row[title]}"} for row in table.rows]
    records = name_records(named, "name", None)
    columns = {"name": "name", **table.columns}
    facts = [fact for record, row in records for fact in plain_facts(record, row, columns) if _is_kept(fact)]
    return Reading(facts, len(table.rows), len(table.rows) - len(records), table.unknown)


def _is_kept(fact: Fact) -> bool:
    text = fact.value_text
    return fact.field != "reference_url" or (text.startswith("http") and len(text) <= LONGEST_LINK)
