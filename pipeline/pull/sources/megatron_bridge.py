"""The performance summaries of Megatron Bridge: one record per release, model, system and number format."""

from __future__ import annotations

from pipeline.config import Source
from pipeline.pull.documents import TableRow, table_rows
from pipeline.pull.ledger import Fact
from pipeline.pull.source_checks import decode
from pipeline.pull.tabular import Reading, match_columns, name_records

PAGE = "https://github.com/NVIDIA-NeMo/Megatron-Bridge/tree/main/docs"
RELEASE, STAGE, MODEL = 2, 3, 4  # levels of headings
DENSE = "n/a"  # over how many chips the experts are spread, of a model without experts


def read(content: bytes, source: Source, where: str) -> Reading:
    """Chips, number format, throughput and FLOP/s per chip, of the tables that state the number format."""
    rows = [row for row in table_rows(decode(content, where)) if "System" in row.cells]
    columns, unknown = match_columns(dict.fromkeys(name for row in rows for name in row.cells), source, where)
    runs = [_run(row, columns) for row in rows]
    records = name_records(runs, "name", None)
    facts = [Fact(record, field, text) for record, run in records for field, text in run.items()]
    return Reading(facts, len(rows), len(rows) - len(records), unknown)


def _run(row: TableRow, columns: dict[str, str]) -> dict[str, str]:
    cells = {field: row.cells[column] for field, column in columns.items()}
    release, model = row.headings[RELEASE].removesuffix(" NeMo Container"), row.headings[MODEL].removeprefix("Model: ")
    stage = row.headings[STAGE].removesuffix(" Performance").lower()
    what = f"{model} {stage}, {cells['chip_quantity']} in {cells['chip']}, {cells['numerical_format']}"
    name = f"Megatron Bridge {release}, {what}, {cells['sequence_length']} tokens, batch {cells.pop('batch')}"
    cells["achieved_flops_per_chip"] += " TFLOP/s"
    cells["is_mixture_of_experts"] = "false" if cells["is_mixture_of_experts"] == DENSE else "true"
    return cells | {"name": name, "model": model, "stage": stage, "benchmark_version": release, "reference_url": PAGE}
