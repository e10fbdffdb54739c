"""Measures whole commands against a floor in interleaved runs and prints medians, their ratio and the target.

    python -m bench --runs 7

A ratio holds on any machine better than a time does; the times beside it are this machine's.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from bench.archive import TARGET as ZIP_TARGET
from bench.archive import zip_ratio
from bench.case import Case
from bench.frontier import TARGET as FRONTIER_TARGET
from bench.frontier import frontier_ratio
from bench.releases import release_cases

ROOT = Path(__file__).resolve().parent.parent
COMMAND = str(Path(sys.executable).with_name("traincompute"))
IMPORTS = [
    sys.executable,
    "-c",
    "import sys; sys.modules['pyspark'] = None; import pandas, pandera.pandas, pyarrow, duckdb",
]
COUNT = "select count(*) from models where training_compute_flop >= 1e25"
DATASET = ROOT / "data" / "processed" / "traincompute.duckdb"
DUCKDB_ALONE = f"import duckdb; print(duckdb.connect({str(DATASET)!r}, read_only=True).execute({COUNT!r}).fetchall())"


class Run(NamedTuple):
    """What one process cost: wall seconds and peak memory in MB."""

    seconds: float
    peak_mb: float


CASES = [
    Case("build ÷ import pandas, pandera, pyarrow, duckdb", [COMMAND, "build", "--force"], IMPORTS, 4.0),
    Case("--help ÷ import click", [COMMAND, "--help"], [sys.executable, "-c", "import click"], 1.5),
    Case("sql ÷ the duckdb module alone", [COMMAND, "sql", COUNT], [sys.executable, "-c", DUCKDB_ALONE], 1.5),
]
BUILD_PEAK_MB = 400


def measure(command: list[str]) -> Run:
    """Runs a command once with its output thrown away. Raises RuntimeError where it fails."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with exit code {process.returncode}")
    scale = 1e6 if sys.platform == "darwin" else 1e3  # ru_maxrss is in bytes there and in kB elsewhere
    return Run(seconds, usage.ru_maxrss / scale)


def compare(case: Case, runs: int) -> dict[str, Any]:
    """Medians of both in turn (one warm-up each) and the ratio of the medians."""
    measure(case.command), measure(case.floor)
    pairs = [(measure(case.command), measure(case.floor)) for _ in range(runs)]
    ours = statistics.median(a.seconds for a, _ in pairs)
    floor = statistics.median(b.seconds for _, b in pairs)
    peak = max(a.peak_mb for a, _ in pairs)
    return {
        "case": case.name,
        "ours_s": ours,
        "floor_s": floor,
        "ratio": ours / floor,
        "target": case.target,
        "peak_mb": peak,
    }


def ledger_growth(sizes: tuple[int, ...] = (25_000, 50_000, 100_000, 200_000), runs: int = 5) -> list[dict[str, Any]]:
    """Seconds to load a ledger of so many lines, check it and choose a vintage: medians, in one process."""
    from pipeline.build import load_context
    from pipeline.paths import Paths

    context = load_context(Paths(ROOT))
    source = {"epoch_all": context.sources["epoch_all"]}
    lines = (ROOT / "data" / "raw" / "epoch_all" / "facts.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    results = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            paths = Paths(Path(folder))
            (paths.raw / "epoch_all").mkdir(parents=True)
            (paths.raw / "epoch_all" / "facts.csv").write_text(
                lines[0] + "".join(_repeat(lines[1:], size)), encoding="utf-8"
            )
            seconds = [_timed(partial(_load, paths, source)) for _ in range(runs)]
        results.append({"lines": size, "seconds": statistics.median(seconds)})
    return results


def _load(paths: Any, source: Any) -> object:
    from datetime import date

    from pipeline.facts import load_facts, vintage

    return vintage(load_facts(paths, source, {}), source, {}, date.max)


def _repeat(lines: list[str], size: int) -> list[str]:
    """So many different lines: those of the ledger again and again under other names."""
    return [_renamed(lines[i % len(lines)], i // len(lines)) for i in range(size)]


def _renamed(line: str, number: int) -> str:
    quote = '"' if line.startswith('"') else ""
    return f"{quote}copy {number} of {line.removeprefix(quote)}"


def _timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    """Prints a line per case; with --json FILE writes the figures as well."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="counted runs of each command")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    results = [compare(case, options.runs) for case in CASES]
    with release_cases(DATASET.parent) as cases:
        results += [compare(case, options.runs) for case in cases]
    for row in results:
        print("{case:50} {ours_s:7.3f} s ÷ {floor_s:6.3f} s = {ratio:5.2f} (target ≤ {target})".format(**row))
    print(f"peak memory of build {results[0]['peak_mb']:.0f} MB (target ≤ {BUILD_PEAK_MB})")
    growth = ledger_growth()
    for row in growth:
        print(
            f"load {row['lines']:7} ledger lines and choose a vintage {row['seconds']:6.3f} s (target ≤ 0.3 at 100000)"
        )
    ranks = frontier_ratio(DATASET)
    print(f"{ranks['case']} {ranks['ratio']:.4f} (target ≤ {FRONTIER_TARGET})")
    archive = zip_ratio(ROOT)
    sizes = archive["ours_bytes"] / 1e6, archive["floor_bytes"] / 1e6
    print(
        f"release zip {sizes[0]:.1f} MB ÷ upstream CSVs {sizes[1]:.1f} MB = {archive['ratio']:.2f} (target ≤ {ZIP_TARGET})"
    )
    results += [*growth, ranks, archive]
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
