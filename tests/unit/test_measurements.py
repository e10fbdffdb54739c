"""What tests/chaos and tests/mutation measured, which docs/quality.md shows: files that exist, and nothing left open."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

from pipeline.base.paths import CHECKOUT

TESTS = CHECKOUT / "tests"


def read(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def test_each_module_and_its_tests_exist() -> None:
    lines = read(TESTS / "mutation" / "modules.csv")
    named = [name for line in lines for name in (line["module"], *line["tests"].split())]
    assert [name for name in named if not (CHECKOUT / name.partition("::")[0]).is_file()] == []


def test_every_mutant_of_every_module_was_tried_or_forty() -> None:
    modules = [line["module"] for line in read(TESTS / "mutation" / "modules.csv")]
    scores = read(TESTS / "mutation" / "scores.csv")
    assert [line["module"] for line in scores] == modules
    assert [line["module"] for line in scores if int(line["run"]) < min(40, int(line["mutants"]))] == []


def test_what_no_test_noticed_is_listed_with_the_reason_why_it_may_stay() -> None:
    left = read(TESTS / "mutation" / "survivors.csv")
    assert [line for line in left if not line["reason"]] == []
    for line in read(TESTS / "mutation" / "scores.csv"):
        assert int(line["run"]) - int(line["killed"]) == sum(one["module"] == line["module"] for one in left)


def test_nothing_was_torn_lost_or_left() -> None:
    figures = read(TESTS / "chaos" / "figures.csv")
    assert {line["faults"] for line in figures} == {"0"}
    assert all(int(line["times"]) > 0 for line in figures)


def test_the_snapshots_were_replayed_and_none_stopped_the_build() -> None:
    days, rows = read(TESTS / "chaos" / "replay.csv"), read(TESTS / "chaos" / "replayed.csv")
    assert {line["build"] for line in days} == {"built"}
    snapshots = json.loads((CHECKOUT / "data/raw/lock.json").read_text(encoding="utf-8"))["epoch_notable"]["snapshots"]
    assert {line["snapshot"] for line in days} <= set(snapshots)
    assert len(days) >= 25
    for day in days:
        reasons = [line["reason_code"] for line in rows if line["snapshot"] == day["snapshot"]]
        assert (reasons.count("held"), len(reasons)) == (int(day["held"]), int(day["held"]) + int(day["set_aside"]))


def test_forty_of_what_was_held_or_set_aside_were_looked_at() -> None:
    judged, rows = read(TESTS / "chaos" / "judged.csv"), read(TESTS / "chaos" / "replayed.csv")
    cell = ("record", "field", "value_text", "reason_code")
    listed = {tuple(row[name] for name in cell) for row in rows}
    assert len(listed) == 80
    assert len({tuple(line[name] for name in cell) for line in judged} & listed) == 40
    assert all(line["shown_by"] for line in judged)
    found = Counter((line["reason_code"], line["judged"]) for line in judged)
    words = (
        "the value is wrong",
        "upstream changed the value",
        "another cell is wrong",
        "an exception",
        "right after all",
    )
    assert [found["breaks_rule", word] for word in words] == [14, 6, 5, 6, 0]
    assert [found["held", word] for word in words] == [2, 2, 0, 0, 5]
    page = " ".join((CHECKOUT / "docs" / "quality.md").read_text(encoding="utf-8").split())
    assert "14 values are wrong, upstream changed 6, of 5 rows another cell is wrong, and 6 are exceptions" in page
