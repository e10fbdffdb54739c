"""What the bench measures with, prints and keeps: a process, a page, a plot, and what its own commands find."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from kept import kept
from stand_ins import just

from bench import __main__ as bench
from bench import build, measure, page, plot
from bench.row import Row, shown

ROWS = [
    Row("1,000 models", 2.5, "s", 2, 3, 3, "read 20 %"),
    Row("1,000 models: peak memory", 1234.5, "MB", target=1000),
    Row("time of 10,000 models ÷ 1,000", 0.00004, target=10, at_least=True),
    Row("nothing", 0, ""),
]
MACHINE = {"processor": "P", "cores": 2, "memory_gb": 25, "system": "Linux 6.1", "python": "3.11.7", "duckdb": "1"}
Clock = Callable[..., None]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Sets what the clock shows, each time that it is read."""
    return lambda *shows: monkeypatch.setattr(time, "perf_counter", iter(shows).__next__)


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The processes that were started, of which those named `false` fail."""
    started: list[dict[str, Any]] = []

    def start(command: list[str], **given: Any) -> SimpleNamespace:
        started.append(given)
        given["stdout"].write(b'{"a": 1}'), given["stderr"].write(b"ab" * 300 if command[1:] else b"short")
        return SimpleNamespace(pid=7 + (command[0] == "false"))

    usage = SimpleNamespace(ru_maxrss=123_000)
    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setattr(os, "wait4", lambda *which: {(7, 0): (7, 0, usage), (8, 0): (8, 256, usage)}[which])
    return started


def test_a_process_is_measured_for_a_checkout(processes: list[dict[str, Any]], clock: Clock, tmp_path: Path) -> None:
    clock(1, 3.5, 2, 2.25, 0)
    assert measure.measure(["true"], answers=True, root=tmp_path) == (2.5, 123.0, {"a": 1})
    assert measure.measure(["true"]) == (0.25, 123.0, None)
    assert [(one["cwd"], one["env"].get("TRAINCOMPUTE_ROOT")) for one in processes] == [
        (tmp_path, str(tmp_path)),
        (measure.ROOT, None),
    ]
    assert "PATH" in measure.COMPILED
    assert "PYTHONDONTWRITEBYTECODE" not in measure.COMPILED
    clock(1, 2)
    with pytest.raises(RuntimeError) as caught:
        measure.measure(["false", "1"])
    assert str(caught.value) == f"false 1 ended with exit code 1: {'ab' * 250}"
    clock(1, 2)
    with pytest.raises(RuntimeError, match="false ended with exit code 1: short"):
        measure.measure(["false"])


def test_what_runs_alone_has_one_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pool:
        def __init__(self, workers: int, mp_context: Any) -> None:
            assert (workers, mp_context.get_start_method()) == (1, "spawn")

        def __enter__(self) -> Pool:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def submit(self, work: Callable[..., Any], *values: Any) -> Future[Any]:
            done: Future[Any] = Future()
            done.set_result(work(*values))
            return done

    monkeypatch.setattr(measure, "ProcessPoolExecutor", Pool)
    assert measure.alone(divmod, 7, 3) == (2, 1)
    monkeypatch.setattr("bench.first_hour.rows", lambda *asked: [asked])
    assert measure.section("bench.first_hour", True, 4) == [(True, 4)]


def test_a_figure_is_shown_with_three_digits_and_judged_at_its_target() -> None:
    figures = (0, 0.001, 0.00099, 999.4, -999.4, 1000, -1234.5, 1e-5)
    assert [*map(shown, figures)] == ["0", "0.001", "9.9e-04", "999", "-999", "1,000", "-1,234", "1.0e-05"]
    assert [Row("x", 6, target=6, at_least=least).verdict for least in (False, True)] == ["met", "met"]
    assert [Row("x", 5, target=6, at_least=least).verdict for least in (False, True)] == ["met", "missed"]
    assert (Row("x", 1, target=6).bound, Row("x", 1, target=0.5, at_least=True).bound) == ("≤ 6", "≥ 0.5")
    assert (Row("x", 1).bound, Row("x", 1, low=1).spread, Row("x", 1, high=1).spread) == ("", "", "")


def test_the_machine_is_told_without_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmodel name\t: Some CPU 3\nmodel name\t: Other\n")
    monkeypatch.setattr(page, "Path", lambda place: tmp_path / Path(place).name)
    monkeypatch.setattr(os, "cpu_count", just(2))
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 6_103_515}.__getitem__)
    monkeypatch.setattr(os, "getloadavg", just((1.26, 5, 9)))
    for name, value in {
        "system": "Linux",
        "release": "6.1-3-amd64",
        "python_version": "3.11.7",
        "machine": "m",
    }.items():
        monkeypatch.setattr(platform, name, just(value))
    monkeypatch.setattr(page, "LIBRARIES", ("duckdb", "no-such-library"))
    monkeypatch.setattr(page, "version", {"duckdb": "1"}.get)
    assert page.machine() == {**MACHINE, "processor": "Some CPU 3", "load": 1.3}
    (tmp_path / "cpuinfo").unlink()
    assert page.machine()["processor"] == "m"


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Runs the bench with these words, where each section gives ROWS; `drawn` and `asked` are noted in what it prints."""
    (tmp_path / "page.md").write_text(
        "prose\n"
        + "".join(f"<!-- bench: {name} -->\nold\n<!-- /bench -->\n" for name in ("build", "growth", "machine"))
    )
    loads = iter((0.5, 2.25, 1))
    monkeypatch.setattr(bench, "RESULTS", tmp_path / "bench" / "results")
    monkeypatch.setattr(bench, "machine", lambda: {**MACHINE, "load": next(loads)})
    monkeypatch.setattr(bench, "alone", lambda _, *asked: print("measured", *asked) or ROWS)
    monkeypatch.setattr(
        bench, "write_plot", lambda rows, target: print("drawn", rows == ROWS, target.relative_to(tmp_path))
    )
    monkeypatch.setattr(bench, "find_spec", just("found"))

    def run(*words: str) -> None:
        monkeypatch.setattr(sys, "argv", ["bench", *(word.replace("TMP", str(tmp_path)) for word in words)])
        bench.main()

    return run


def test_the_figures_are_printed_and_kept_and_put_into_the_page(
    told: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told("--quick")
    asked = [line.split()[1] for line in capsys.readouterr().out.splitlines() if line.startswith("measured")]
    assert asked == [place for place, _ in bench.SECTIONS.values()]
    told("--quick", "build", "--runs", "3", "--json", "TMP/none.json")
    told("build", "growth", "--runs", "3", "--write", "TMP/page.md")
    told("--write", "TMP/page.md", "--json", "TMP/all.json")
    told("hub", "--write", "TMP/page.md", "--quick")
    printed = capsys.readouterr().out
    results = [(tmp_path / "bench" / "results" / f"{name}.json").read_text() for name in ("build", "growth")]
    assert json.loads((tmp_path / "all.json").read_text()) == dict(
        zip(("build", "growth"), map(json.loads, results), strict=True)
    )
    written = [(tmp_path / name).read_text() for name in ("none.json", "all.json", "page.md")]
    assert "\n".join([printed, *results, *written]) == kept("bench/main.txt")


def test_an_unknown_section_is_refused_and_one_that_lacks_nothing_is_not(
    told: Callable[..., None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        told("speed", "build", "all")
    assert capsys.readouterr().err.endswith("error: no such section: all, speed\n")
    with pytest.raises(SystemExit):
        told("build", "--quick", "--write", "TMP/page.md")
    assert "nothing has been measured yet: name sections without --quick" in capsys.readouterr().err
    monkeypatch.setattr(bench, "find_spec", just(None))
    told("hub", "build")
    lacking = "\nhub needs ibis, which is not installed: pip install -c constraints.txt -e '.[hub]'\n"
    assert capsys.readouterr().out.startswith(f"{lacking}measured bench.build False 7\n")
    told("growth")
    assert "drawn" not in capsys.readouterr().out


def test_the_plot_has_time_and_memory_of_each_size(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    drawing = MagicMock(name="alt")
    monkeypatch.setitem(sys.modules, "altair", drawing)
    target = tmp_path / "docs" / "figures" / "growth.svg"
    plot.write_plot(ROWS, target)
    plot.write_plot(ROWS, target)
    assert target.parent.is_dir()
    calls = "\n".join(map(str, drawing.mock_calls)).replace(str(tmp_path), "TMP")
    assert re.sub(r" id='\d+'", "", calls) + "\n" == kept("bench/plot.txt")


def test_a_stage_costs_what_its_functions_do_and_not_what_they_call(
    monkeypatch: pytest.MonkeyPatch, clock: Clock, tmp_path: Path
) -> None:
    status, forget = tmp_path / "status", tmp_path / "clear_refs"
    status.write_text("Name:\tpython\nVmHWM:\t  300000 kB\nVmRSS:\t  250000 kB\n")
    monkeypatch.setattr(build, "STATUS", status)
    monkeypatch.setattr(build, "FORGET_PEAK", (forget, "5"))
    made = SimpleNamespace(__name__="pipeline.made", inner=lambda text: text * 2)
    made.outer = lambda text: made.inner(text) + "!"
    user = SimpleNamespace(__name__="pipeline.user", inner=made.inner, outer=made.outer, other=1)
    elsewhere = SimpleNamespace(__name__="elsewhere", inner=made.inner)
    said: list[object] = []

    def whole(paths: Any) -> None:
        said.extend(
            [paths.root == measure.ROOT, user.outer("a"), made.outer("b"), user.inner("c"), elsewhere.inner("d")]
        )

    started = SimpleNamespace(__name__="pipeline.build", build=whole)
    for module in (made, user, elsewhere, started):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr("pipeline.build", started, raising=False)
    monkeypatch.setattr(build, "STAGES", {"out": ("pipeline.made.outer",), "in": ("pipeline.made.inner",)})
    clock(100, 1, 1.5, 2, 4, 8, 9, 110)
    out, inner = build.Cost(2.5, 300, 50), build.Cost(1, 300, 50)
    assert build.stage_costs() == {"total": 10, "stages": {"out": out, "in": inner}}
    assert said == [True, "aa!", "bb!", "cc", "dd"]
    assert (forget.read_text(), build._inside) == ("5", [])
    assert build._find("bench.build.Cost") is build.Cost
    status.unlink()
    forget.unlink()
    assert (build._forget_peak(), forget.exists()) == (0, False)
