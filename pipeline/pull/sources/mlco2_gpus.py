"""The chips of the ML CO2 Impact calculator. Of their figures only the power is read: the TFLOP/s columns mix dense and
sparse rates, with and without tensor cores (the 989 TFLOP/s of "FP32" for H100 SXM is sparse TF32)."""

from __future__ import annotations

from dataclasses import replace

from pipeline.config import Source
from pipeline.pull.ledger import LINK_FIELD
from pipeline.pull.tabular import Reading, read_records, read_table

# This row has eight cells for nine columns: one of its empty cells is missing.
CUT_ROW = (b"\nA10G,gpu,150,31.52,,,24,", b"\nA10G,gpu,150,31.52,,,,24,")
# The row says 250 W and 24 GB, but links to the data sheet of this card, which has 55 W and 2 GB.
WRONG = "GTX 750"


def read(content: bytes, source: Source, where: str) -> Reading:
    """One record per chip, with its type and thermal design power; the type in capitals, as in the hardware table. Two
    rows give average power as TDP, and say so in their reference; some references are no links."""
    table = read_table(content.replace(*CUT_ROW), source, where)
    name, kind, power, link = (table.columns[field] for field in ("name", "type", "tdp_w", LINK_FIELD))
    rows = [
        row | {kind: row[kind].upper(), power: "" if "not TDP" in row[link] else row[power]}
        for row in table.rows
        if row[name] != WRONG
    ]
    reading = read_records(replace(table, rows=rows), source)
    facts = [fact for fact in reading.facts if fact.field != LINK_FIELD or fact.value_text.startswith("http")]
    return replace(reading, facts=facts)
