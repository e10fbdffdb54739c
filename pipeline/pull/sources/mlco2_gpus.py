"""The chips of the ML CO2 Impact calculator. Of their figures only the power is read: the TFLOP/s columns mix dense and
sparse rates, with and without tensor cores (the 989 TFLOP/s of "FP32" for H100 SXM is sparse TF32)."""

from __future__ import annotations

from pipeline.config import Source
from pipeline.pull.ledger import LINK_FIELD, Fact
from pipeline.pull.tabular import Reading, Row, read_plain

# This row has eight cells for nine columns: one of its empty cells is missing.
CUT_ROW = (b"\nA10G,gpu,150,31.52,,,24,", b"\nA10G,gpu,150,31.52,,,,24,")
# The row says 250 W and 24 GB, but links to the data sheet of this card, which has 55 W and 2 GB.
WRONG = "GTX 750"


def read(content: bytes, source: Source, where: str) -> Reading:
    """One record per chip, with its type and thermal design power; the type in capitals, as in the hardware table."""
    whole = content.replace(*CUT_ROW)
    return read_plain(whole, source, where, keep=lambda cells: cells["name"] != WRONG, text=_text)


def _text(fact: Fact, row: Row) -> str:
    """Two rows give average power as TDP, and say so in their reference; some references are no links."""
    is_stated = {LINK_FIELD: fact.value_text.startswith("http"), "tdp_w": "not TDP" not in row["source"]}
    text = fact.value_text if is_stated.get(fact.field, True) else ""
    return text.upper() if fact.field == "type" else text
