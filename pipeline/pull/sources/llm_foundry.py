"""The benchmark page of LLM Foundry: one record per configuration of an MPT model, its throughput measured."""

from __future__ import annotations

from pipeline.config import Source
from pipeline.pull.documents import table_rows
from pipeline.pull.ledger import Fact
from pipeline.pull.source_checks import decode
from pipeline.pull.tabular import Reading, match_columns, name_records

UNITS = {"mfu_stated": " %", "achieved_flops_per_chip": " TFLOP/s"}
PAGE = "https://github.com/mosaicml/llm-foundry/tree/main/scripts/train/benchmarking"


def read(content: bytes, source: Source, where: str) -> Reading:
    """Model, chips, number format, throughput, and the share of the peak rate in the unit that the column implies."""
    rows = [row.cells for row in table_rows(decode(content, where))]
    columns, unknown = match_columns(dict.fromkeys(name for row in rows for name in row), source, where)
    runs = [_run({field: row[column] for field, column in columns.items()}) for row in rows]
    records = name_records(runs, "name", None)
    facts = [Fact(record, field, text) for record, run in records for field, text in run.items()]
    return Reading(facts, len(rows), len(rows) - len(records), unknown)


def _run(cells: dict[str, str]) -> dict[str, str]:
    size, count, chip = (cells[field] for field in ("model", "chip_quantity", "chip"))
    name = f"MPT {size}, {count} {chip}, {cells['numerical_format']}, {cells['sequence_length']} tokens"
    facts = {field: text + UNITS.get(field, "") for field, text in cells.items() if field != "batch"}
    facts |= {"model": f"MPT {size.upper()}", "is_mixture_of_experts": "false", "stage": "pre-training"}
    return facts | {"name": f"{name}, batch {cells['batch']}", "reference_url": PAGE}
