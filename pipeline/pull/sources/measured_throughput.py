"""Pages of developers with measured throughput (Markdown tables): one record per configuration of LLM Foundry's
benchmarks of MPT models, and of Megatron Bridge's performance summaries since release 26.02."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pipeline.config import Source
from pipeline.pull.ledger import Fact
from pipeline.pull.source_checks import decode
from pipeline.pull.tabular import Reading, match_columns, name_records

PAGES = {
    "llm_foundry": "https://github.com/mosaicml/llm-foundry/tree/main/scripts/train/benchmarking",
    "megatron_bridge": "https://github.com/NVIDIA-NeMo/Megatron-Bridge/tree/main/docs",
}
HEADING = re.compile(r"(#+)\s+(.*?)\s*$")
RULE = re.compile(r"\|[\s|:-]+\|?\s*$")  # the line between header and body
FOOTNOTE = re.compile(r"\[\^[^\]]+\]")
RELEASE, STAGE, MODEL = 2, 3, 4  # levels of Megatron Bridge's headings
DENSE = "n/a"  # over how many chips the experts are spread, of a model without experts


class TableRow(NamedTuple):
    """Cells by column name without footnote marks, and the headings above by their level."""

    cells: dict[str, str]
    headings: dict[int, str]


def read(content: bytes, source: Source, where: str) -> Reading:
    """Model, chips, number format, throughput and FLOP/s per chip. Of Megatron Bridge the tables that state the number
    format; of LLM Foundry also the share of the peak rate, in the unit that the column implies."""
    is_foundry = source.id == "llm_foundry"
    rows = [row for row in table_rows(decode(content, where)) if is_foundry or "System" in row.cells]
    columns, unknown = match_columns(dict.fromkeys(name for row in rows for name in row.cells), source, where)
    runs = [
        (foundry_run(cells) if is_foundry else bridge_run(cells, row.headings)) | {"reference_url": PAGES[source.id]}
        for row in rows
        if (cells := {field: row.cells[column] for field, column in columns.items()})
    ]
    records = name_records(runs, "name", None)
    facts = [Fact(record, field, text) for record, run in records for field, text in run.items()]
    return Reading(facts, len(rows), len(rows) - len(records), unknown)


def foundry_run(cells: dict[str, str]) -> dict[str, str]:
    """A configuration of an MPT model."""
    size, what = cells["model"], f"{cells['chip_quantity']} {cells['chip']}, {cells['numerical_format']}"
    name = f"MPT {size}, {what}, {cells['sequence_length']} tokens, batch {cells.pop('batch')}"
    cells["mfu_stated"] += " %"
    cells["achieved_flops_per_chip"] += " TFLOP/s"
    of_all = {"is_mixture_of_experts": "false", "stage": "pre-training"}
    return cells | of_all | {"name": name, "model": f"MPT {size.upper()}"}


def bridge_run(cells: dict[str, str], headings: dict[int, str]) -> dict[str, str]:
    """A configuration whose release, model and stage stand in the headings."""
    release, model = headings[RELEASE].removesuffix(" NeMo Container"), headings[MODEL].removeprefix("Model: ")
    stage = headings[STAGE].removesuffix(" Performance").lower()
    what = f"{model} {stage}, {cells['chip_quantity']} in {cells['chip']}, {cells['numerical_format']}"
    name = f"Megatron Bridge {release}, {what}, {cells['sequence_length']} tokens, batch {cells.pop('batch')}"
    cells["achieved_flops_per_chip"] += " TFLOP/s"
    cells["is_mixture_of_experts"] = "false" if cells["is_mixture_of_experts"] == DENSE else "true"
    return cells | {"name": name, "model": model, "stage": stage, "benchmark_version": release}


def table_rows(text: str) -> Iterator[TableRow]:
    """The rows of all tables of a Markdown page in their order."""
    headings: dict[int, str] = {}
    header: list[str] = []
    for line in text.splitlines():
        if heading := HEADING.match(line):
            level = len(heading[1])
            headings = {n: words for n, words in headings.items() if n < level} | {level: heading[2]}
        cells = [FOOTNOTE.sub("", cell).strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            header = []
        elif not header:
            header = cells
        elif not RULE.match(line):
            yield TableRow(dict(zip(header, cells, strict=True)), headings)
