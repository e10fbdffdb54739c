"""A whole build of a thousand to a million models with fifteen facts each, in chunks, on all cores.

    python -m bench.growth 10000    # prints models, lines of the ledger, seconds of each step and peak memory as JSON

The ledger is made up: the records of ours that have fifteen current facts, and what these facts replaced, repeated under
other names and with other numbers. What a model is made from has the name of another copy, mostly in another chunk, which
it shares with nine more. pipeline/scale/build.py builds it, which says what it leaves out.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from bench.build import IMPORTS
from bench.measure import ROOT, alone, measure, module
from bench.row import Row

if TYPE_CHECKING:
    import pandas as pd

SIZES = (1_000, 10_000, 100_000, 1_000_000)
FACTS = 15
SOURCES = ("epoch_all", "epoch_notable")
FIRST = ("name", "parameters", "training_compute_flop", "publication_date", "organization", "domain", "dataset_size")
LATER = ("hardware", "hardware_quantity", "training_hours", "epochs", "base_model", "dataset_unit", "task")
CELL = ["record", "source_id", "field", "locator"]
COLUMNS = ["record", "field", "value_text", "locator", "since", "until"]
SCALED = ("parameters", "training_compute_flop", "training_compute_low", "training_compute_high", "dataset_size",
          "training_tokens", "finetune_compute_flop", "batch_size")  # fmt: skip
SHARING = 10  # copies whose models are made from those of the same copy
STEPS = 97  # factors by which the numbers of copies differ, from 1 to 1.96
FILE_COPIES = 8  # of our records in a file of the ledger
SECONDS, PEAK_MB, TEN_TIMES = 180, 2000, 10.5


def rows(quick: bool, runs: int) -> list[Row]:
    """Seconds and peak memory at each size, how the time grows with the last factor of ten, and the time of the largest
    in that of the imports, which holds on a busy machine, too."""
    made, found, imports = [], {}, 0.0
    for size in SIZES[: 2 if quick else None]:
        taken = [_build(size) for _ in range(runs if size <= 10_000 else 1)]
        seconds = [run["seconds"] for run in taken]
        found[size], imports = statistics.median(seconds), taken[-1]["imports"]
        target = SECONDS if size == SIZES[-1] else None
        made.append(
            Row(f"{size:,} models", found[size], "s", min(seconds), max(seconds), target, note=taken[0]["note"])
        )
        made.append(Row(f"{size:,} models: peak memory", max(run["peak_mb"] for run in taken), "MB", target=PEAK_MB))
    last, before = sorted(found)[-1], sorted(found)[-2]
    took, note = f"time of {last:,} models ÷", f"{found[last]:.3g} s ÷ {imports:.3f} s, before and after it"
    return [
        *made,
        Row(f"{took} {before:,}", found[last] / found[before], target=TEN_TIMES),
        Row(f"{took} import of pandas, pandera, pyarrow, duckdb", found[last] / imports, note=note),
    ]


def _build(size: int) -> dict[str, Any]:
    """Wall seconds, the memory of all processes together at its peak, the share of each step in the time, and what the
    imports of a build took before and after."""
    imports = [measure(IMPORTS).seconds for _ in range(3)]
    answer = measure(module("bench.growth", size), answers=True).answer
    imports += [measure(IMPORTS).seconds for _ in range(3)]
    steps = answer["steps"]
    seconds = sum(steps.values())
    note = ", ".join(f"{name} {100 * taken / seconds:.0f} %" for name, taken in steps.items())
    return {"seconds": seconds, "peak_mb": answer["peak_mb"], "note": note, "imports": statistics.median(imports)}


def run(models: int, target: Path) -> dict[str, Any]:
    """Builds a ledger of that many models below `target`; returns its lines, the seconds of each step, and the memory of
    all processes together at its peak."""
    from pipeline.base.paths import Paths
    from pipeline.scale.build import build

    files, lines = alone(write_ledger, models, target / "ledger")
    starts: dict[str, float] = {}

    def told(step: str) -> None:
        starts[step] = time.perf_counter()

    with watched_memory() as peak:
        build(Paths(ROOT), files, target / "processed", jobs=os.cpu_count() or 1, told=told)
        told("end")
    steps = {name: starts[after] - starts[name] for name, after in pairwise(starts)}
    return {"models": models, "lines": lines, "steps": steps, "peak_mb": peak[0]}


@contextmanager
def watched_memory() -> Iterator[list[float]]:
    """The memory of this process and those that it started, in MB at its peak, where /proc tells: what several share is
    counted once."""
    peak, done = [0.0], Event()

    def watch() -> None:
        while not done.wait(0.2):
            peak[0] = max(peak[0], _memory_mb())

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield peak
    finally:
        done.set()
        watcher.join()


def _memory_mb() -> float:
    kilobytes = 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is not ours
            if os.getpgid(int(process.name)) == os.getpgid(0):
                lines = (process / "smaps_rollup").read_text().splitlines()
                kilobytes += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return kilobytes / 1e3


def template() -> pd.DataFrame:
    """The first fifteen current facts of each record that has that many, and the spans that these replaced: source_id,
    record, field, value_text, locator, since, until. A record in both sources has most of them twice, so that there is
    something to select."""
    import pandas as pd

    parts = [pd.read_csv(ROOT / "data" / "raw" / s / "facts.csv", dtype="str", keep_default_na=False) for s in SOURCES]
    both = pd.concat([part.assign(source_id=name) for name, part in zip(SOURCES, parts, strict=True)])
    order = {name: place for place, name in enumerate((*FIRST, *LATER))}
    now = both[both["until"] == ""].assign(order=lambda rows: rows["field"].map(order).fillna(len(order)))
    now = now.sort_values(["record", "order", "field", "source_id", "locator", "value_text"], ignore_index=True)
    kept = now[now.groupby("record").cumcount() < FACTS].drop(columns="order")
    full = kept[kept["record"].map(kept["record"].value_counts()) == FACTS]
    before = both[both["until"] != ""].merge(full[CELL].drop_duplicates(), on=CELL)
    return pd.concat([full, before]).sort_values([*CELL, "since", "value_text"], ignore_index=True)


def write_ledger(models: int, folder: Path) -> tuple[dict[str, list[Path]], int]:
    """Writes the ledger of that many models; returns the files of each source, and the number of lines."""
    facts = template()
    per_copy = facts["record"].nunique()
    place, copies = facts.groupby("record", sort=False).ngroup(), -(-models // per_copy)
    files: dict[str, list[Path]] = {source: [] for source in SOURCES}
    lines = 0
    for number in range(copies):
        made = _copy(facts[place < models - number * per_copy], number, copies)
        lines += len(made)
        for source in SOURCES:
            file = folder / source / f"facts_{number // FILE_COPIES:04}.csv"
            if not file.exists():
                file.parent.mkdir(parents=True, exist_ok=True)
                files[source].append(file)
            own = made.loc[made["source_id"] == source, COLUMNS]
            own.to_csv(file, mode="a", index=False, header=not file.exists())
    return files, lines


def _copy(facts: pd.DataFrame, number: int, copies: int) -> pd.DataFrame:
    """The facts under the names of one copy, with its numbers; bases have the names of another copy."""
    whole = max(copies - 1, 1)  # the last may be cut short
    ending, other = f" v{number}", f" v{(7 * (number // SHARING) + 3) % whole}"
    field, text = facts["field"], facts["value_text"]
    numbers = text.where(field.isin(SCALED) & (facts["locator"] == "")).transform(_as_number)
    scaled = (numbers * (1 + number % STEPS / 100)).map("{:.8g}".format).astype("str")
    text = (
        text.where(numbers.isna(), scaled)
        .mask(field == "name", text + ending)
        .mask(field == "base_model", text + other)
    )
    return facts.assign(record=facts["record"] + ending, value_text=text)


def _as_number(texts: pd.Series) -> pd.Series:
    import pandas as pd

    return pd.to_numeric(texts, errors="coerce")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        print(json.dumps(run(int(sys.argv[1]), Path(scratch))))
