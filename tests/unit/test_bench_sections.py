"""What each section of the bench starts, how often, and the rows that it makes of it: compared with a copy, where a
stand-in takes the place of every command. A changed section has its copy renewed with the text that the failure shows."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import socketserver
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partialmethod
from itertools import count, cycle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kept import kept
from stand_ins import just, stand_ins

from bench import measure, releases
from bench.__main__ import SECTIONS
from bench.measure import ROOT, Run
from bench.row import Row

SIZES = re.compile(r"bench\.(?:growth|estimates) (\d+)")
ALONE = {"differing": 3, "differences": (2, 0.5), "_accuracy": [Row("accuracy", 40, "%")]}
# what a command prints as JSON, by the words that it has; of `scripts`, the query finds other numbers than the script
ANSWERS: dict[str, Callable[[int, int], Any]] = {
    "bench.build": lambda run, _: {
        "total": 40.0 / run,
        "stages": {"a": [5 / run, 300, 20], "b": [10 / run, 250, 30.4], "untold": [2 / run], "flat": [1 / run, 200]},
    },
    "bench.growth": lambda run, size: {"steps": {"read": size / 4e3, "build": run * size / 2e3}, "peak_mb": 90 + run},
    "bench.estimates": lambda _, size: {"seconds": size / 1e5, "naive_s_per_row": 0.005, "added_mb": size / 1e4},
    "first_hour": lambda *_: {"--version": 0.25, "list": 1.75},
    "bench.scripts": lambda *_: {"frontier": 10, "large": 2, "known": 30},
    "json.dumps(dict": lambda *_: {"frontier": 10, "large": 3, "known": 31},
}


class Driver:
    """A browser that answers what the bench asks of it, the second time where it waits."""

    def __init__(self, note: Callable[[object], None], options: Any, service: str) -> None:
        self.note, self.options, self.painted = note, options, count(8)
        self.asked: dict[str, Iterator[Any]] = {"?.ready": cycle([None, 250, None, 125, 140, 150]), ".ready === ": cycle([False, True]),
                      "?.answer": cycle([None, [900, 1]])}  # fmt: skip
        note(f"chrome {options.binary_location} {' '.join(options.words)} by {service}")

    def get(self, address: str) -> None:
        self.note(f"get {address}")

    def execute_script(self, script: str) -> Any:
        self.note(script)
        return next((next(answers) for words, answers in self.asked.items() if words in script), None)

    def execute_async_script(self, script: str) -> Any:
        self.note(script)
        return next(self.painted) / 4, next(self.painted)

    def quit(self) -> None:
        self.note("quit")


class Options:
    """Those of a browser, in words."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.add_argument = self.words.append


class Bench:
    """What was started, and how often."""

    def __init__(self, scratch: Path, programs: dict[str, str]) -> None:
        self.started: Counter[str] = Counter()
        self.scratch, self.programs = scratch, programs
        self.seconds = (1 + 37 * number % 64 / 16 for number in count())

    def note(self, words: object) -> None:
        text = str(words).replace(sys.executable, "python").replace(str(Path(sys.executable).parent), "bin")
        text = re.sub(rf"{self.scratch}/(?:home/)?tmp\w+", "TMP", text).replace(str(self.scratch), "SCRATCH")
        self.started[re.sub(r"127\.0\.0\.1:\d+", "LOOPBACK", text.replace(str(ROOT), "ROOT"))] += 1

    def measure(self, command: list[str], *, answers: bool = False, root: Path = ROOT) -> Run:
        words = " ".join(command)
        self.note(words + ("" if root == ROOT else f" in {root}"))
        run, size = self.started.total(), SIZES.search(words)
        answer = next((make(run, int(size[1]) if size else 0) for key, make in ANSWERS.items() if key in words), None)
        return Run(next(self.seconds), 100 + run, answer if answers else None)

    def alone(self, function: Callable[..., Any], *arguments: Any) -> Any:
        self.note(f"{function.__name__} {' '.join(map(str, arguments))}")
        if arguments and not arguments[0].exists():
            arguments[0].write_bytes(bytes(1_600_000))
        return ALONE.get(function.__name__)

    def clone(self, words: list[str], check: bool) -> None:
        self.note(f"{' '.join(words)}{' checked' * check}")
        made = Path(words[-1]) / "data" / "processed" / "releases"
        made.mkdir(parents=True)
        (made / "releases.json").write_text(json.dumps({"releases": [1, 2, 3, 4]}))


def write_build(folder: Path) -> Path:
    """A build of few bytes, with files that no release has."""
    folder.mkdir()
    for name in ("models.parquet", "models.csv", "traincompute.duckdb", "notes.txt"):
        (folder / name).write_text(name)
    (folder / "manifest.json").write_text('{"tables": 1}')
    return folder


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Bench:
    (tmp_path / "home").mkdir()
    bench = Bench(tmp_path, {"java": "java", "chromium": "chromium", "chromedriver": "chromedriver"})
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "home"))
    monkeypatch.setattr(subprocess, "run", bench.clone)
    monkeypatch.setattr(time, "sleep", lambda seconds: bench.note(f"sleep {seconds}"))
    monkeypatch.setattr(shutil, "which", lambda name: bench.programs.get(name))
    monkeypatch.setattr(measure, "measure", bench.measure)
    monkeypatch.setattr(releases, "PROCESSED", write_build(tmp_path / "processed"))
    chrome = SimpleNamespace(Chrome=lambda options, service: Driver(bench.note, options, service))
    places = {"": {"webdriver": chrome}, ".webdriver.chrome.options": {"Options": Options},
              ".webdriver.chrome.service": {"Service": lambda program: f"service of {program}"}}  # fmt: skip
    for place, names in places.items():
        monkeypatch.setitem(sys.modules, f"selenium{place}", SimpleNamespace(**names))
    written = SimpleNamespace(bytes=61_000_000, first_view_gzip_bytes=400_000)
    stand_ins(monkeypatch)("present.site.write", write_site=just(written))
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    serving = partialmethod(socketserver.BaseServer.serve_forever, poll_interval=0.01)
    monkeypatch.setattr(socketserver.BaseServer, "serve_forever", serving)
    return bench


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_starts_what_it_measures_and_makes_rows_of_it(
    started: Bench, monkeypatch: pytest.MonkeyPatch, section: str
) -> None:
    module = importlib.import_module(SECTIONS[section][0])
    for name in {"measure", "alone"} & vars(module).keys():
        monkeypatch.setattr(module, name, getattr(started, name))
    lines: list[str] = []
    for kind, quick, runs in (("whole", False, 5), ("quick", True, 1)):
        rows = [json.dumps(row, ensure_ascii=False) for row in module.rows(quick, runs)]
        lines += [f"# {kind}", *(f"{times} × {words}" for words, times in started.started.items()), *rows]
        started.started.clear()
        started.programs = {"java": "java"}  # no browser the second time
    assert "\n".join([*lines, ""]) == kept(f"bench/{section}.txt")
