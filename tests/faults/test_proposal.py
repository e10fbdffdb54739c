"""Rows 78, 85 and 94 of the fault list: what the weekly pull request says to the person who has to decide."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import yaml
from checkouts import copy_checkout
from misbehaving_server import MisbehavingServer, ok, reply

from pipeline.paths import CHECKOUT, Paths
from traincompute.comparison.compare import Comparison, compare
from traincompute.comparison.render import as_markdown

GOLDEN = Path(__file__).parents[1] / "golden"
INSTALLED = Path(sys.executable).parent / "traincompute"
COMMAND = """#!/bin/sh
if [ "$1" = pull ]; then set -- "$@" --mirror "{mirror}"; fi
exec "{command}" "$@"
"""


@pytest.fixture(scope="module")
def compared(built: Paths, revised: tuple[Paths, Path]) -> Comparison:
    return compare(built.processed, revised[1])


def test_fault_78_all_that_came_is_named_and_the_largest_first(compared: Comparison) -> None:
    lines = as_markdown(compared, 5).splitlines()
    assert lines[0] == "**At least 1e25 FLOP: all 3 models and values that came, went or changed**"
    large = lines[4:7]
    assert [line.split("|")[1].strip() for line in large] == ["New 69", "New 68", "GPT-4 (Mar 2023)"]
    assert "2.1e+25" in large[2]
    assert "3.1e+25" in large[2]
    assert "upstream revision" in large[2]
    assert "**All 70: model added**" in lines
    assert all(f"| New {number} |" in "\n".join(lines) for number in range(70))


def test_fault_94_ranks_follow_the_model_that_changed(compared: Comparison) -> None:
    ranks = compared.changes[(compared.changes["column"] == "frontier_rank") & (compared.changes["kind"] == "changed")]
    assert len(ranks) > 0
    assert set(ranks["cause"]) == {"upstream revision"}


def script(step: str) -> str:
    steps = yaml.safe_load((CHECKOUT / ".github" / "workflows" / "pull.yml").read_text())["jobs"]["pull"]["steps"]
    (found,) = [entry["run"] for entry in steps if entry.get("name") == step]
    return str(found)


@pytest.fixture
def workflow(small: Paths, tmp_path: Path, server: MisbehavingServer) -> dict[str, str]:
    """The environment of the job, in a checkout of which three sources are pulled: one is missing at its publisher, one
    is cut, and one has a new row."""
    paths = copy_checkout(small, tmp_path / "repository")
    for file in paths.raw.glob("*/source.yml"):
        declared = yaml.safe_load(file.read_text())
        if declared["id"] not in ("epoch_all", "epoch_notable", "epoch_hardware"):
            declared = {key: part for key, part in declared.items() if key not in ("urls", "mirror_paths", "file_list")}
        file.write_text(yaml.safe_dump(declared | ({"gates": {}} if declared["id"] == "epoch_hardware" else {})))
    models = (GOLDEN / "epoch_models.csv").read_bytes().splitlines(keepends=True)
    hardware = (GOLDEN / "epoch_hardware.csv").read_bytes()
    first = hardware.splitlines(keepends=True)[1]
    more = hardware + first.replace(first.split(b",")[0], b"Acme X1", 1)
    server.script("/epoch.ai/data/all_ai_models.csv", reply("404 Not Found"))
    server.script("/epoch.ai/data/notable_ai_models.csv", ok(b"".join(models[:6])))
    server.script("/epoch.ai/data/ml_hardware.csv", ok(more))
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "traincompute").write_text(COMMAND.format(mirror=server.address(""), command=INSTALLED))
    (commands / "traincompute").chmod(0o755)
    job = tmp_path / "job"
    job.mkdir()
    path = f"{commands}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "RUNNER_TEMP": str(job), "TRAINCOMPUTE_ROOT": str(paths.root)}
