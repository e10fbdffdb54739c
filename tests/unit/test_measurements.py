"""What tests/chaos and tests/mutation measured, which docs/quality.md shows: files that exist, and nothing left open."""

from __future__ import annotations

import csv
from pathlib import Path

from pipeline.base.paths import CHECKOUT

TESTS = CHECKOUT / "tests"


def read(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def test_each_module_and_its_tests_exist() -> None:
    lines = read(TESTS / "mutation" / "modules.csv")
    named = [name for line in lines for name in (line["module"], *line["tests"].split())]
    assert [name for name in named if not (CHECKOUT / name).is_file()] == []


def test_every_mutant_of_every_module_was_tried() -> None:
    modules = [line["module"] for line in read(TESTS / "mutation" / "modules.csv")]
    scores = read(TESTS / "mutation" / "scores.csv")
    assert [line["module"] for line in scores] == modules
    assert [line["module"] for line in scores if line["run"] != line["mutants"]] == []


def test_what_no_test_noticed_is_listed_with_the_reason_why_it_may_stay() -> None:
    left = read(TESTS / "mutation" / "survivors.csv")
    assert [line for line in left if not line["reason"]] == []
    for line in read(TESTS / "mutation" / "scores.csv"):
        assert int(line["run"]) - int(line["killed"]) == sum(one["module"] == line["module"] for one in left)


def test_nothing_was_torn_lost_or_left() -> None:
    figures = read(TESTS / "chaos" / "figures.csv")
    assert {line["faults"] for line in figures} == {"0"}
    assert all(int(line["times"]) > 0 for line in figures)
