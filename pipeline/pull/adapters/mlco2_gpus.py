"""The chips of the ML CO2 Impact calculator. Of their figures only the power is read: the TFLOP/s columns mix dense and
sparse rates, with and without tensor cores (the 989 TFLOP/s of "FP32" for H100 SXM is sparse TF32)."""

from __future__ import annotations

from pipeline.pull.tabular import Fact, Reading, name_records, plain_facts, read_table
from pipeline.registry.sources import Source

# This row has eight cells for nine columns: one of its empty cells is missing.
CUT_ROW = (b"\nA10G,gpu,150,31.52,,,24,", b"\nA10G,gpu,150,31.52,,,,24,")
# The row says 250 W and 24 GB, but links to the data sheet of this card, which has 55 W and 2 GB.
WRONG = frozenset({"GTX 750"})


def read(content: bytes, source: Source, where: str) -> Reading:
    """One record per chip, with its type and thermal design power; the type in capitals, as in the hardware table."""
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
    """Whether the cell holds what its column says: two rows give average power as TDP, some references are not
    links."""
    if fact.field == "reference_url":
        return fact.value_text.startswith("http")
    return fact.field != "tdp_w" or "not TDP" not in reference
