"""Logs and system descriptions of MLPerf Training: one record per log; a description speaks of the logs of its
system."""

from __future__ import annotations

import json
import re
from typing import Any

from pipeline.config import Source
from pipeline.errors import DataError
from pipeline.pull.ledger import Fact
from pipeline.pull.source_checks import decode
from pipeline.pull.tabular import Reading

LOG = re.compile(r"training_results_v([\d.]+)(?:/main)?/([^/]+)/results/([^/]+)/([^/]+)/result_(\d+)\.txt$")
SYSTEM = re.compile(r"training_results_v([\d.]+)(?:/main)?/([^/]+)/systems/([^/]+)\.json$")
CHIPS = {"chip": "accelerator_model_name", "nodes": "number_of_nodes", "chips_per_node": "accelerators_per_node"}
MARK = ":::MLLOG "
PAGE = "https://github.com/mlcommons/training_results_v{}/tree/main/{}/results/{}/{}"


def read(content: bytes, source: Source, where: str) -> Reading:
    """Of a log the run with its duration and what it trained on, of a system its chips. Raises DataError for a log
    that does not reach its end."""
    text = decode(content, where)
    if log := LOG.search(where):
        version, by, system, benchmark, _ = run = log.groups()
        cells = {
            "name": "MLPerf " + " ".join(run),
            "benchmark": benchmark,
            "benchmark_version": version,
            "submitter": by,
        }
        cells |= {"system": system, "reference_url": PAGE.format(*run), **_measured(text, benchmark, where)}
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
