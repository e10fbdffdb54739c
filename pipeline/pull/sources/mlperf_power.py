"""Power readings of MLPerf Training 4.0: one record per run, read before (AC) and behind (DC) the power supplies."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipeline.config import Source
from pipeline.pull.ledger import Fact
from pipeline.pull.tabular import Reading, read_table

SYSTEM = re.compile(r"\d+xSMC-(.+)")  # 64xSMC-H100-SXM-80GB: 64 nodes of Supermicro with eight of these chips each
CHIPS_PER_NODE = "8"
# Where the reading was taken, by the name under which it was submitted: the fields that it fills
READINGS = {
    "smc-ac-power": ("node_power_ac_w", "training_energy_kwh"),
    "smc-dc-power": ("node_power_dc_w", "energy_dc_kwh"),
}
LANGUAGE = frozenset({"bert", "gpt3", "llama2_70b_lora"})  # the others train on images or on clicks


def read(content: bytes, source: Source, where: str) -> Reading:
    """Mean power of a node and energy of all nodes, of the runs of language benchmarks."""
    table = read_table(content, source, where)
    rows = [{field: row[column] for field, column in table.columns.items()} for row in table.rows]
    runs = [row for row in rows if row["benchmark"] in LANGUAGE]
    facts = dict.fromkeys(fact for run in runs for fact in _facts(run))
    return Reading(list(facts), len({fact.record for fact in facts}), 0, table.unknown)


def _facts(run: Mapping[str, str]) -> list[Fact]:
    power, energy = READINGS[run["submitter"]]
    record = f"MLPerf 4.0 power {run['system']} {run['benchmark']} {run['run']}"
    chip = SYSTEM.sub(r"\1", run["system"])
    cells = {"name": record, "benchmark": run["benchmark"], "benchmark_version": "4.0", "submitter": "Supermicro"}
    cells |= {"system": run["system"], "chip": chip, "nodes": run["nodes"], "chips_per_node": CHIPS_PER_NODE}
    cells |= {power: f"{run['node_power']} W", energy: f"{run['energy']} kWh"}
    return [Fact(record, field, text) for field, text in cells.items()]
