"""MLPerf Training: logs and system descriptions (one record per log; a description speaks of the logs of its system),
and the power readings of 4.0 (one record per run, read before (AC) and behind (DC) the power supplies)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pipeline.config import Source
from pipeline.errors import DataError
from pipeline.pull.ledger import Fact
from pipeline.pull.source_checks import decode
from pipeline.pull.tabular import Reading, read_table

LOG = re.compile(r"training_results_v([\d.]+)(?:/main)?/([^/]+)/results/([^/]+)/([^/]+)/result_(\d+)\.txt$")
SYSTEM = re.compile(r"training_results_v([\d.]+)(?:/main)?/([^/]+)/systems/([^/]+)\.json$")
CHIPS = {"chip": "accelerator_model_name", "nodes": "number_of_nodes", "chips_per_node": "accelerators_per_node"}
MARK = ":::MLLOG "
PAGE = "https://github.com/mlcommons/training_results_v{}/tree/main/{}/results/{}/{}"
POWERED = re.compile(r"\d+xSMC-(.+)")  # 64xSMC-H100-SXM-80GB: 64 nodes of Supermicro with eight of these chips each
CHIPS_PER_NODE = "8"
# Where the reading was taken, by the name under which it was submitted: the fields that it fills
READINGS = {
    "smc-ac-power": ("node_power_ac_w", "training_energy_kwh"),
    "smc-dc-power": ("node_power_dc_w", "energy_dc_kwh"),
}
LANGUAGE = frozenset({"bert", "gpt3", "llama2_70b_lora"})  # the others train on images or on clicks


def read(content: bytes, source: Source, where: str) -> Reading:
    """Of a log the run with its duration and what it trained on, of a system its chips, of power readings the mean of a
    node and the energy of all. Raises DataError for a log that does not reach its end."""
    if source.fields:
        return _power(content, source, where)
    text = decode(content, where)
    if log := LOG.search(where):
        version, by, system, benchmark, _ = run = log.groups()
        cells = {"name": "MLPerf " + " ".join(run), "benchmark": benchmark, "benchmark_version": version}
        cells |= {"submitter": by, "system": system, "reference_url": PAGE.format(*run)}
        cells |= _measured(text, benchmark, where)
        return Reading([Fact(cells["name"], field, value) for field, value in cells.items()], 1)
    about, described = json.loads(text), SYSTEM.search(where)
    runs = [found.groups() for path in source.mirror_paths if (found := LOG.search(path))]
    names = ["MLPerf " + " ".join(run) for run in runs if described and run[:3] == described.groups()]
    return Reading([Fact(name, field, str(about[key])) for name in names for field, key in CHIPS.items()], 0)


def _measured(text: str, benchmark: str, where: str) -> dict[str, str]:
    """Duration and tokens or sequences by the last line of each key; gpt3 counts tokens, under the key epoch_num."""
    lines = filter(None, (line.partition(MARK)[2] for line in text.splitlines()))
    events: dict[str, Any] = {event["key"]: event for event in map(json.loads, lines)}
    if not {"run_start", "run_stop", "eval_accuracy"} <= events.keys():
        raise DataError.of(where, "the run did not reach its end", "leave it out of files.txt")
    seconds = (events["run_stop"]["time_ms"] - events["run_start"]["time_ms"]) / 1000
    field, key = ("training_tokens", "epoch_num") if benchmark == "gpt3" else ("samples", "samples_count")
    cells = {"training_hours": f"{seconds:.3f} seconds", field: str(events["eval_accuracy"]["metadata"][key])}
    length = events.get("max_sequence_length")
    return cells | ({"sequence_length": str(length["value"])} if length else {})


def _power(content: bytes, source: Source, where: str) -> Reading:
    """The runs of language benchmarks."""
    table = read_table(content, source, where)
    rows = [{field: row[column] for field, column in table.columns.items()} for row in table.rows]
    facts = dict.fromkeys(fact for row in rows if row["benchmark"] in LANGUAGE for fact in _power_facts(row))
    return Reading(list(facts), len({fact.record for fact in facts}), 0, table.unknown)


def _power_facts(run: Mapping[str, str]) -> list[Fact]:
    power, energy = READINGS[run["submitter"]]
    record = f"MLPerf 4.0 power {run['system']} {run['benchmark']} {run['run']}"
    cells = {"name": record, "benchmark": run["benchmark"], "benchmark_version": "4.0", "submitter": "Supermicro"}
    cells |= {"system": run["system"], "chip": POWERED.sub(r"\1", run["system"])}
    cells |= {"nodes": run["nodes"], "chips_per_node": CHIPS_PER_NODE}
    cells |= {power: f"{run['node_power']} W", energy: f"{run['energy']} kWh"}
    return [Fact(record, field, text) for field, text in cells.items()]
