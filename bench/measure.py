"""Runs whole commands and measures their time and memory; what is compared runs alternately, so that a busy spell of
the machine affects both. A ratio carries over to other machines better than a time does."""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from bench.case import Case
from bench.row import Row

ROOT = Path(__file__).resolve().parent.parent
PROCESSED = ROOT / "data" / "processed"
# The floors are libraries that were byte-compiled when installed. Our modules are byte-compiled when they first run,
# and the result is kept unless the environment forbids it.
COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
COMMAND = str(Path(sys.executable).with_name("traincompute"))
T = TypeVar("T")


class Run(NamedTuple):
    """What one process cost: wall seconds and peak memory in MB, and the JSON that it printed, if asked for."""

    seconds: float
    peak_mb: float
    answer: Any = None


def measure(command: list[str], *, answers: bool = False, root: Path = ROOT) -> Run:
    """Runs a command once, for the checkout at `root`. Its output is discarded, or read as JSON. Raises RuntimeError if it
    fails."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=errors, cwd=root, env={**COMPILED, **_about(root)})
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0), errors.seek(0)
        if process.returncode:
            said = errors.read().decode(errors="replace")[-500:]
            raise RuntimeError(f"{' '.join(command)} ended with exit code {process.returncode}: {said}")
        return Run(seconds, usage.ru_maxrss / 1e3, json.loads(output.read()) if answers else None)


def _about(root: Path) -> dict[str, str]:
    """The settings with which a command is about another checkout than this one."""
    return {} if root == ROOT else {"TRAINCOMPUTE_ROOT": str(root)}


def alone(function: Callable[..., T], *arguments: object) -> T:
    """The result of a function called in a process of its own: a process that has used much memory passes its peak on
    to the processes that it starts."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def compare(case: Case, runs: int) -> list[Row]:
    """The ratio of the medians of alternate runs, after one run each to warm up, and that of the peaks if asked for."""
    measure(case.command), measure(case.floor)
    pairs = [(measure(case.command), measure(case.floor)) for _ in range(runs)]
    ours, floor = (statistics.median(pair[side].seconds for pair in pairs) for side in (0, 1))
    peaks = [max(pair[side].peak_mb for pair in pairs) for side in (0, 1)]
    ratios = [a.seconds / b.seconds for a, b in pairs]
    note = f"{ours:.3f} s ÷ {floor:.3f} s, peak {peaks[0]:.0f} MB"
    rows = [Row(case.name, ours / floor, "×", min(ratios), max(ratios), case.target, note)]
    if case.weighed:
        note = f"{peaks[0]:.0f} MB ÷ {peaks[1]:.0f} MB"
        rows.append(Row(f"{case.name}: memory", peaks[0] / peaks[1], "×", target=case.memory, note=note))
    return rows


def section(place: str, quick: bool, runs: int) -> list[Row]:
    """The rows of a section's module."""
    rows: list[Row] = importlib.import_module(place).rows(quick, runs)
    return rows


def compare_all(cases: list[Case], runs: int) -> list[Row]:
    """The rows of several cases."""
    return [row for case in cases for row in compare(case, runs)]


def python(code: str) -> list[str]:
    """A command that runs the code."""
    return [sys.executable, "-c", code]


def module(name: str, *words: object) -> list[str]:
    """A command that runs a module of the bench."""
    return [sys.executable, "-m", name, *map(str, words)]
