"""The chips of the ML CO2 Impact calculator. Only their power is read: the columns of TFLOP/s mix dense and sparse
rates, with and without tensor cores (989 TFLOP/s of "FP32" for H100 SXM is sparse TF32)."""

from __future__ import annotations

from pipeline.pull.tabular import Fact, Reading, name_records, plain_facts, read_table
from pipeline.registry.sources import Source

# This row has eight cells under nine columns: one of its empty ones is missing.
CUT_ROW = (b"\nA10G,gpu,150,31.52,,,24,", b"\nA10G,gpu,150,31.52,,,,24,")
# 250 W and 24 GB are not of this card (55 W, 2 GB), to whose data sheet the row links.
WRONG = frozenset({"GTX 750"})


def read(content: bytes, source: Source, where: str) -> Reading:
    """One record per chip with type and thermal design power; the type in capitals, as the hardware table has it."""
    table = read_table(content.replace(*CUT_ROW), source, where)
    rows = [row for row in table.rows if row[table.columns["name"]] not in WRONG]
    records = name_records(rows, table.columns["name"], None)
    facts = [
        _spelled(fact)
        for record, row in records
        for fact in plain_facts(record, row, table.columns)
        if _is_stated(fact, row[table.columns["reference_url"]])
    ]
    return Reading(facts, len(rows), len(rows) - len(records), table.unknown)


def _spelled(fact: Fact) -> Fact:
    return fact._replace(value_text=fact.value_text.upper()) if fact.field == "type" else fact


def _is_stated(fact: Fact, reference: str) -> bool:
    """Whether the cell holds what its column says: two rows give an average power as TDP, some references are no links."""
    if fact.field == "reference_url":
        return fact.value_text.startswith("http")
    return fact.field != "tdp_w" or "not TDP" not in reference
