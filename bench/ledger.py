"""How loading the ledger grows with its lines."""

from __future__ import annotations

import statistics
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import Any

from bench.measure import ROOT
from bench.row import Row

SIZES = (25_000, 50_000, 100_000, 200_000)
TARGETS = {100_000: 0.3}


def rows(quick: bool, runs: int) -> list[Row]:
    """Seconds to load a ledger of several sizes, check it and choose a vintage, in one process."""
    from pipeline.base.paths import Paths
    from pipeline.registry.context import load_context

    real = load_context(Paths(ROOT))
    source = {"epoch_all": real.sources["epoch_all"]}
    lines = (ROOT / "data" / "raw" / "epoch_all" / "facts.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    made = []
    for size in SIZES[: 2 if quick else None]:
        with tempfile.TemporaryDirectory() as folder:
            paths = Paths(Path(folder))
            (paths.raw / "epoch_all").mkdir(parents=True)
            text = lines[0] + "".join(_repeat(lines[1:], size))
            (paths.raw / "epoch_all" / "facts.csv").write_text(text, encoding="utf-8")
            lock = {"epoch_all": real.lock["epoch_all"] | {"lines": size}}
            seconds = [_load(paths, source, lock) for _ in range(runs)]
        name = f"load {size:,} lines and choose a vintage"
        made.append(Row(name, statistics.median(seconds), "s", min(seconds), max(seconds), TARGETS.get(size)))
    return made


def _load(paths: Any, source: Any, lock: Any) -> float:
    from pipeline.normalize.facts import load_facts, vintage

    start = time.perf_counter()
    vintage(load_facts(paths, source, lock), source, lock, date.max)
    return time.perf_counter() - start


def _repeat(lines: list[str], size: int) -> list[str]:
    """That many distinct lines: those of the ledger, repeated under other names."""
    return [_renamed(lines[i % len(lines)], i // len(lines)) for i in range(size)]


def _renamed(line: str, number: int) -> str:
    quote = '"' if line.startswith('"') else ""
    return f"{quote}copy {number} of {line.removeprefix(quote)}"
