"""Several writers at once lose nothing and leave no litter."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from checkouts import copy_checkout

from pipeline.config import load_sources
from pipeline.curate import add_fact as curation
from pipeline.curate.cli import add_fact
from pipeline.errors import DataError
from pipeline.paths import CHECKOUT, Paths
from pipeline.pull import snapshot
from pipeline.pull.snapshot import Request, pull_source

GOLDEN = Path(__file__).parents[1] / "golden" / "epoch_models.csv"
DAYS = [date(2026, 4, day) for day in (1, 2, 3, 4)]
BETWEEN_S = 0.05  # from reading to writing, so that writers without a lock would overtake each other


def slowly(function: Callable[..., Any]) -> Callable[..., Any]:
    def slow(*args: Any) -> Any:
        found = function(*args)
        time.sleep(BETWEEN_S)
        return found

    return slow


def at_once(work: Callable[[Any], object], items: list[Any]) -> None:
    with ThreadPoolExecutor(len(items)) as pool:
        list(pool.map(work, items))


def pull(paths: Paths, day: date) -> None:
    file = paths.root / f"{day}.csv"
    file.write_text(GOLDEN.read_text(encoding="utf-8").replace("4.7e+17", f"4.{day.day}e+17"), encoding="utf-8")
    request = Request(files=(file,), as_of=day, update=True)
    assert pull_source(paths, load_sources(paths)["epoch_notable"], request, lambda _: None)


def state(paths: Paths) -> tuple[list[str], str]:
    entry = json.loads(paths.lock.read_text())["epoch_notable"]
    return sorted(entry["snapshots"]), (paths.raw / "epoch_notable" / "facts.csv").read_text(encoding="utf-8")


def test_four_pulls_at_once_all_stand_in_the_lock(
    small: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_by_one = copy_checkout(small, tmp_path / "one by one")
    for day in DAYS:
        pull(one_by_one, day)
    monkeypatch.setattr(snapshot, "load_lock", slowly(snapshot.load_lock))
    at_once(lambda day: pull(small, day), DAYS)
    assert state(small) == state(one_by_one)
    assert state(small)[0] == ["2026-03-30", *map(str, DAYS)]


def test_four_facts_at_once_are_all_entered(small: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(small.root))
    monkeypatch.setattr(curation, "read_checkout", slowly(curation.read_checkout))
    cited = {"since": DAYS[0], "accessed": DAYS[0], "evidence": "recalled", "locator": "section 3"}

    def add(number: int) -> None:
        given = {"reference": f"arXiv:2601.0000{number}", "more": (), "new": False, "sure": False, "dry_run": False}
        assert add_fact.callback
        add_fact.callback("AlexNet", "training_tokens", f"{number} trillion", **given, **cited)

    at_once(add, [1, 2, 3, 4])
    files = "".join(file.read_text() for file in small.curated.glob("facts*.csv"))
    assert [files.count(f"AlexNet,training_tokens,{number} trillion") for number in (1, 2, 3, 4)] == [1] * 4


def test_the_same_fact_at_once_is_entered_once(small: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(small.root))
    monkeypatch.setattr(curation, "read_checkout", slowly(curation.read_checkout))
    cited = {"since": DAYS[0], "accessed": DAYS[0], "evidence": "recalled", "locator": "section 3"}
    refused = []

    def add(_: int) -> None:
        given = {"reference": "arXiv:2601.00001", "more": (), "new": False, "sure": False, "dry_run": False}
        try:
            assert add_fact.callback
            add_fact.callback("AlexNet", "training_tokens", "1 trillion", **given, **cited)
        except DataError as error:
            refused.append(str(error))

    at_once(add, [1, 2])
    assert len(refused) == 1
    assert "the same fact is already in data/raw/curated/" in refused[0]


def test_what_killed_writers_left_is_swept_by_the_next(small: Paths) -> None:
    left = [small.raw / ".lock.json.x1.tmp", small.raw / "epoch_notable" / ".facts.csv.x2.tmp"]
    for file in left:
        file.write_text("half")
    pull(small, DAYS[0])
    assert not any(file.exists() for file in left)


@pytest.mark.parametrize("name", ["data/raw/.lock.json.x1.tmp", "data/raw/epoch_all/.facts.csv.x2.tmp"])
def test_temporary_files_do_not_count_as_changes(name: str) -> None:
    done = subprocess.run(["git", "-C", str(CHECKOUT), "check-ignore", "-q", name])
    assert done.returncode == 0
