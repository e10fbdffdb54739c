"""The build: cold, with nothing to do, and where its time goes.

python -m bench.build 3    # prints the seconds of each stage as JSON, from the fastest of that many builds
"""

from __future__ import annotations

import functools
import importlib
import json
import sys
import time
from typing import Any

from bench.case import Case
from bench.measure import COMMAND, ROOT, compare_all, measure, module, python
from bench.row import Row

IMPORTS = python("import sys; sys.modules['pyspark'] = None; import pandas, pandera.pandas, pyarrow, duckdb")
NEEDED = python("import click, hashlib, json, importlib.metadata, pathlib, datetime")
PEAK_MB = 400
# stage → the functions that its time is spent in, none called by another; one that no longer exists counts as nothing
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
        "pipeline.impute.flop.calibrated.load_calibrated",
        "pipeline.impute.flop.calibrated.load_measured",
        "pipeline.impute.flop.cascade.estimate",
        "pipeline.impute.flop.cascade.impute",
        "pipeline.impute.flop.published.published_bounds",
    ),
    "derive": ("pipeline.impute.derive.columns.derive",),
    "trends": ("pipeline.impute.trends.prepare.prepare", "pipeline.impute.trends.table.trends"),
    "check": (
        "pipeline.validate.stage.check_tables",
        "pipeline.validate.stage.check_links",
        "pipeline.normalize.readings.check_readable",
    ),
    "wait for the files": ("pipeline.publish.publication.Publication.finish",),
}


def rows(quick: bool, runs: int) -> list[Row]:
    """Cold and no-op builds against their floors, memory, and the share of each stage."""
    cases = [
        Case("cold build ÷ import of pandas, pandera, pyarrow, duckdb", [COMMAND, "build", "--force"], IMPORTS, 4),
        Case("build with nothing to do ÷ python with the imports that it needs", [COMMAND, "build"], NEEDED, 2),
    ]
    peak = measure([COMMAND, "build", "--force"]).peak_mb
    made = [*compare_all(cases, runs), Row("peak memory of the cold build", peak, "MB", target=PEAK_MB)]
    stages = measure(module("bench.build", 1 if quick else 3), answers=True).answer
    return made + [Row(f"stage: {name}", 100 * share, "%") for name, share in stages.items()]


def stage_shares(builds: int) -> dict[str, float]:
    """The share of each stage in the wall time of a build after the imports, for the fastest of several."""
    from pipeline import build
    from pipeline.base.paths import Paths

    spent: dict[str, float] = {}
    for name, functions in STAGES.items():
        for function in functions:
            _watch(function, name, spent)
    best: dict[str, float] = {}
    for _ in range(builds):
        spent.clear()
        start = time.perf_counter()
        build.build(Paths(ROOT))
        total = time.perf_counter() - start
        rest = total - sum(spent.values())
        if not best or total < best["total"]:
            best = {"total": total, **dict(sorted(spent.items(), key=lambda item: -item[1])), "everything else": rest}
    total = best.pop("total")
    return {name: seconds / total for name, seconds in best.items()}


_inside: list[str] = []


def _watch(path: str, stage: str, spent: dict[str, float]) -> None:
    """Times a function, if there is one of that name. A call within another watched one counts for the outer one."""
    place, name = path.rsplit(".", 1)
    owner = _find(place)
    function = getattr(owner, name, None)
    if function is None:
        return

    @functools.wraps(function)
    def timed(*args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        _inside.append(stage)
        try:
            return function(*args, **kwargs)
        finally:
            _inside.pop()
            if not _inside:
                spent[stage] = spent.get(stage, 0) + time.perf_counter() - start

    setattr(owner, name, timed)
    for loaded in list(sys.modules.values()):  # those that import it by name, too
        if loaded.__name__.startswith("pipeline.") and vars(loaded).get(name) is function:
            setattr(loaded, name, timed)


def _find(place: str) -> Any:
    """A module, or a class in one."""
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError:
        around, name = place.rsplit(".", 1)
        return getattr(importlib.import_module(around), name)


if __name__ == "__main__":
    print(json.dumps(stage_shares(int(sys.argv[1]))))
