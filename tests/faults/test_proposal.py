"""What the weekly pull request says: rows 78, 85, 94."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from pipeline.paths import Paths
from traincompute.cli import group
from traincompute.comparison import Comparison, compare


@pytest.fixture(scope="module")
def compared(built: Paths, revised: tuple[Paths, Path]) -> Comparison:
    return compare(built.processed, revised[1])


def test_all_that_came_is_named_and_the_largest_first(built: Paths, revised: tuple[Paths, Path]) -> None:
    words = ["diff", str(built.processed), str(revised[1]), "--markdown", "--limit", "5"]
    lines = CliRunner().invoke(group, words).stdout.splitlines()[2:]
    assert lines[0] == "**At least 1e25 FLOP: all 3 models and values that came, went or changed**"
    large = lines[4:7]
    assert [line.split("|")[1].strip() for line in large] == ["GPT-4 (Mar 2023)", "New 69", "New 68"]
    assert "| 2.1e+25 | 3.1e+25 | upstream revision |" in large[0]
    assert "**All 70: model added**" in lines
    assert all(f"| New {number} |" in "\n".join(lines) for number in range(70))


def test_ranks_follow_the_model_that_changed(compared: Comparison) -> None:
    ranks = [row for row in compared.changes if (row["column"], row["kind"]) == ("frontier_rank", "changed")]
    assert {row["cause"] for row in ranks} == {"upstream revision"}
