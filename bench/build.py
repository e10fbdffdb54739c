"""The build: cold, with nothing to do, and where its time and its memory go.

python -m bench.build    # builds, and prints what each stage cost as JSON
"""

from __future__ import annotations

import functools
import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from bench.case import Case
from bench.measure import COMMAND, ROOT, compare_all, measure, module, python
from bench.row import Row

IMPORTS = python("import sys; sys.modules['pyspark'] = None; import pandas, pandera.pandas, pyarrow, duckdb")
NEEDED = python("import click, hashlib, json, importlib.metadata, pathlib, datetime")
PEAK_MB = 400
# stage → the functions that its time is spent in; a call within another one counts for the outer one
STAGES = {
    "read schemas, vocabularies, sources": ("pipeline.registry.context.load_context",),
    "digest of the inputs": ("pipeline.publish.fingerprint.inputs_digest",),
    "load facts": ("pipeline.normalize.facts.load_facts",),
    "identify models": ("pipeline.normalize.identity.resolve_models",),
    "read texts": (
        "pipeline.normalize.readings.read_texts",
        "pipeline.normalize.readings.with_readings",
        "pipeline.normalize.facts.vintage",
    ),
    "revisions": ("pipeline.normalize.revisions.make_revisions",),
    "corrections, holds, bounds": (
        "pipeline.normalize.corrections.apply",
        "pipeline.normalize.quarantine.hold",
        "pipeline.normalize.quarantine.quarantine_bounds",
    ),
    "select": ("pipeline.normalize.claims.make_claims", "pipeline.normalize.claims.select"),
    "tables beside models": (
        "pipeline.normalize.tables.make_records",
        "pipeline.normalize.tables.make_quarantine",
        "pipeline.normalize.tables.make_model_hardware",
        "pipeline.normalize.tables.make_organizations",
        "pipeline.normalize.tables.make_sources",
    ),
    "models": ("pipeline.normalize.models.make_models",),
    "estimate": (
        "pipeline.impute.flop.calibration_tables.load_calibrated",
        "pipeline.impute.flop.calibration_tables.load_measured",
        "pipeline.impute.flop.cascade.estimate",
        "pipeline.impute.flop.cascade.impute",
        "pipeline.impute.flop.published_intervals.published_bounds",
    ),
    "derive": ("pipeline.impute.derive.columns.derive",),
    "trends": ("pipeline.impute.trends.prepare.prepare", "pipeline.impute.trends.table.trends"),
    "check": (
        "pipeline.validate.stage.check_tables",
        "pipeline.validate.stage.check_links",
        "pipeline.normalize.readings.check_readable",
    ),
    "names": ("pipeline.normalize.aliases.names_used", "pipeline.normalize.aliases.make_aliases"),
    "predictions": ("pipeline.impute.flop.predictions.predict_all",),
    "give memory back": ("pipeline.base.columnar.release_memory",),
    "wait for the files": ("pipeline.publish.publication.Publication.finish",),
}
STATUS = Path("/proc/self/status")  # of the process, on Linux alone
FORGET_PEAK = Path("/proc/self/clear_refs"), "5"


class Cost(NamedTuple):
    """What a stage cost: seconds, the resident memory at its highest, and by how much one call raised it at most, in MB;
    no memory where the system does not tell."""

    seconds: float
    peak_mb: float = 0.0
    raised_mb: float = 0.0

    def and_also(self, other: Cost) -> Cost:
        return Cost(
            self.seconds + other.seconds, max(self.peak_mb, other.peak_mb), max(self.raised_mb, other.raised_mb)
        )


def rows(quick: bool, runs: int) -> list[Row]:
    """Cold and no-op builds against their floors, memory, and the share of each stage."""
    cases = [
        Case("cold build ÷ import of pandas, pandera, pyarrow, duckdb", [COMMAND, "build", "--force"], IMPORTS, 4),
        Case("build with nothing to do ÷ python with the imports that it needs", [COMMAND, "build"], NEEDED, 2),
    ]
    peak = measure([COMMAND, "build", "--force"]).peak_mb
    made = [*compare_all(cases, runs), Row("peak memory of the cold build", peak, "MB", target=PEAK_MB)]
    builds = [measure(module("bench.build"), answers=True).answer for _ in range(1 if quick else 3)]
    return made + _stage_rows(min(builds, key=lambda build: float(build["total"])))


def _stage_rows(build: dict[str, Any]) -> list[Row]:
    """The share of each stage in a build, the largest first, and what it made of the memory."""
    costs = {name: Cost(*cost) for name, cost in build["stages"].items()}
    rest = build["total"] - sum(cost.seconds for cost in costs.values())
    ordered = sorted(costs.items(), key=lambda item: -item[1].seconds)
    rows = [Row(f"stage: {name}", 100 * cost.seconds / build["total"], "%", note=_note(cost)) for name, cost in ordered]
    return [*rows, Row("stage: everything else", 100 * rest / build["total"], "%")]


def _note(cost: Cost) -> str:
    if not cost.peak_mb:
        return ""
    return f"{1e3 * cost.seconds:.0f} ms, up {cost.raised_mb:.0f} MB to {cost.peak_mb:.0f} MB"


def stage_costs() -> dict[str, Any]:
    """The seconds of a build after the imports, and what each stage cost."""
    from pipeline import build
    from pipeline.base.paths import Paths

    spent: dict[str, Cost] = {}
    for name, functions in STAGES.items():
        for function in functions:
            _watch(function, name, spent)
    start = time.perf_counter()
    build.build(Paths(ROOT))
    return {"total": time.perf_counter() - start, "stages": spent}


_inside: list[str] = []


def _watch(path: str, stage: str, spent: dict[str, Cost]) -> None:
    """Measures a function."""
    place, name = path.rsplit(".", 1)
    owner = _find(place)
    function = getattr(owner, name)

    @functools.wraps(function)
    def measured(*args: Any, **kwargs: Any) -> Any:
        if _inside:
            return function(*args, **kwargs)
        before, start = _forget_peak(), time.perf_counter()
        _inside.append(stage)
        try:
            return function(*args, **kwargs)
        finally:
            _inside.pop()
            seconds, peak = time.perf_counter() - start, _resident_mb("VmHWM")
            spent[stage] = spent.get(stage, Cost(0)).and_also(Cost(seconds, peak, peak - before))

    setattr(owner, name, measured)
    for loaded in list(sys.modules.values()):  # those that import it by name, too
        if loaded.__name__.startswith("pipeline.") and vars(loaded).get(name) is function:
            setattr(loaded, name, measured)


def _forget_peak() -> float:
    """Lets the peak of the memory begin anew; returns what is resident now, in MB."""
    if STATUS.exists():
        file, word = FORGET_PEAK
        file.write_text(word)
    return _resident_mb("VmRSS")


def _resident_mb(which: str) -> float:
    """The resident memory of this process, VmRSS now or VmHWM at its highest; 0 where the system does not tell."""
    lines = STATUS.read_text().splitlines() if STATUS.exists() else []
    return next((int(line.split()[1]) / 1e3 for line in lines if line.startswith(which)), 0.0)


def _find(place: str) -> Any:
    """A module, or a class in one."""
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError:
        around, name = place.rsplit(".", 1)
        return getattr(importlib.import_module(around), name)


if __name__ == "__main__":
    print(json.dumps(stage_costs()))
