"""A whole build of a ledger that does not fit in memory: it is split into chunks (split.py), which are built side by
side (chunk.py) and joined (join.py). The files are the same whatever the number of processes.

Left out, since they are about the records of this project's own sources: corrections, decisions about identity, and the
excuses that come with them. Left out, since they compare all models in ways that grow faster than their number: trends
and the table of names.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache, partial
from multiprocessing import get_context
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from pipeline.base.columnar import spare_memory
from pipeline.base.files import sha256_of
from pipeline.base.paths import Paths
from pipeline.normalize.facts import load_file
from pipeline.publish.stage import manifest_head
from pipeline.publish.swap import swap_in, work_folder
from pipeline.registry.context import Context, load_context
from pipeline.registry.frames import Tables, conform, from_arrow, to_arrow
from pipeline.scale import chunk, join
from pipeline.scale.reference import reference_tables
from pipeline.scale.split import Files, Routes, assign_chunks, load_routes, route
from traincompute.releases.places import DUCKDB_NAME

MODELS = 12_000  # in a chunk: twice as many take a twentieth less time and half as much memory again
LARGE = (
    "claims",
    "estimates",
    "models",
    "predictions",
    "revisions",
    "model_hardware",
    "quarantine",
)  # the longest first
T = TypeVar("T")


class Place(NamedTuple):
    """Where a build reads and writes: the checkout with the declarations, the sources of the ledger, the folder for what
    is between the steps, and the one for the files."""

    paths: Paths
    sources: tuple[str, ...]
    scratch: Path
    work: Path


class Cost(NamedTuple):
    """What a step cost: its wall and processor seconds, and the memory of its processes at their peaks, in MB."""

    seconds: float
    cpu: float
    peak_mb: float


class Spent(NamedTuple):
    """What a process has cost until now: its processor seconds, and its memory at its peak."""

    cpu: float
    peak_mb: float


def build(paths: Paths, files: Files, target: Path, jobs: int | None = None, models: int = MODELS) -> dict[str, Cost]:
    """Builds the ledger in `files` and publishes it below `target`, with the declarations of `paths`; returns what each
    step cost. Raises DataError as the build in memory does."""
    jobs, costs = jobs or os.cpu_count() or 1, {}
    with work_folder(target) as work, tempfile.TemporaryDirectory(dir=target) as scratch:
        place = Place(paths, tuple(files), Path(scratch), work)
        (chunks,), costs["assign"] = _run(1, [partial(_assign, place, files, models, jobs)])
        parts = [(name, file) for name, found in files.items() for file in found]
        _, costs["split"] = _run(jobs, [partial(_route, place, chunks, n, *part) for n, part in enumerate(parts)])
        _, costs["chunks"] = _run(jobs, [partial(_make_chunk, place, number) for number in range(chunks)])
        (small,), costs["compare"] = _run(1, [partial(_compare, place)])
        tasks: list[Callable[[], Any]] = [partial(_write_duckdb, place)]
        tasks += [partial(_write_files, place, name) for name in LARGE]
        (catalogue, *entries), costs["publish"] = _run(jobs, tasks)
        _write_manifest(place, small | dict(zip(LARGE, entries, strict=True)), catalogue)
        swap_in(work, target)
    return costs


def _run(jobs: int, tasks: Iterable[Callable[[], T]]) -> tuple[list[T], Cost]:
    """The results of the tasks in their order, from that many processes, and what they cost."""
    start, before = time.perf_counter(), time.process_time()
    with ProcessPoolExecutor(jobs, mp_context=_processes(), initializer=spare_memory) as pool:
        done = [future.result() for future in [pool.submit(_metered, task) for task in tasks]]
    last = {process: spent for _, process, spent in done}
    cpu = time.process_time() - before + sum(spent.cpu for spent in last.values())
    peak = _peak_mb() + sum(spent.peak_mb for spent in last.values())
    return [result for result, _, _ in done], Cost(time.perf_counter() - start, cpu, peak)


def _processes() -> BaseContext:
    """Starts processes by copying one that has only read this module, so that each need not read it again."""
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


def _metered(task: Callable[[], T]) -> tuple[T, int, Spent]:
    return task(), os.getpid(), Spent(time.process_time(), _peak_mb())


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


@cache
def _context(place: Place) -> Context:
    """What the checkout declares, with the sources of the ledger alone."""
    context = load_context(place.paths)
    lock = {name: context.lock[name] for name in place.sources if name in context.lock}
    return replace(context, sources={name: context.sources[name] for name in place.sources}, lock=lock)


@cache
def _reference(place: Place) -> Tables:
    """The tables that are about no models, as `_assign` left them."""
    schemas = _context(place).schemas
    files = sorted((place.scratch / "reference").iterdir())
    return {file.stem: from_arrow(parquet.read_table(file), schemas[file.stem]) for file in files}


def _assign(place: Place, files: Files, models: int, threads: int) -> int:
    context = load_context(place.paths)
    (place.scratch / "reference").mkdir()
    for name, frame in reference_tables(context).items():
        parquet.write_table(to_arrow(frame, context.schemas[name]), place.scratch / "reference" / f"{name}.parquet")
    return assign_chunks(context.sources, files, place.scratch / "routes.arrow", models, threads)


@cache
def _routes(place: Place) -> Routes:
    return load_routes(place.scratch / "routes.arrow")


def _route(place: Place, chunks: int, number: int, source: str, file: Path) -> None:
    (place.scratch / "ledger").mkdir(exist_ok=True)
    lines = load_file(place.paths, _context(place).sources[source], file)
    route(lines, _routes(place), chunks, place.scratch / "ledger" / f"{number:06}.arrow")


def _make_chunk(place: Place, number: int) -> None:
    context, files = _context(place), sorted((place.scratch / "ledger").iterdir())
    made = chunk.make_tables(context, chunk.read_chunk(files, number), _reference(place))
    chunk.write_tables(context, made, place.scratch / "made" / f"{number:06}")


def _folders(place: Place) -> list[Path]:
    return sorted((place.scratch / "made").iterdir())


def _compare(place: Place) -> dict[str, Any]:
    """Adds what compares all models, and writes the small tables; returns their entries in the manifest."""
    context = _context(place)
    join.compare_all(context, _folders(place))
    return {name: join.write_stream(context.schemas[name], [data], place.work) for name, data in _small(place).items()}


def _small(place: Place) -> dict[str, pa.Table]:
    """The tables that are not LARGE, of all that are published: those without rows, too."""
    context = _context(place)
    known = _reference(place)
    made = known | join.small_tables(context, _folders(place), known)
    others = [table for table in context.schemas.values() if table.name not in LARGE]
    return {table.name: to_arrow(conform(made.get(table.name, pd.DataFrame()), table), table) for table in others}


def _write_files(place: Place, name: str) -> dict[str, Any]:
    context = _context(place)
    return join.write_stream(context.schemas[name], join.in_order(context, _folders(place), name), place.work)


def _write_duckdb(place: Place) -> list[dict[str, Any]]:
    context = _context(place)
    tables = {name: join.in_order(context, _folders(place), name) for name in LARGE}
    files = [(name, place.work / f"{name}.parquet") for name in context.schemas if name not in LARGE]
    return join.write_duckdb(context, tables | {name: [parquet.read_table(file)] for name, file in files}, place.work)


def _write_manifest(place: Place, entries: dict[str, Any], catalogue: list[dict[str, Any]]) -> None:
    """The manifest, and the digest of the DuckDB file."""
    context = _context(place)
    sources = from_arrow(parquet.read_table(place.work / "sources.parquet"), context.schemas["sources"])
    digest = sha256_of(place.work / DUCKDB_NAME)
    (place.work / f"{DUCKDB_NAME}.sha256").write_text(f"{digest}  {DUCKDB_NAME}\n")
    head = manifest_head(context, {"sources": sources}, None)
    manifest = {**head, "tables": dict(sorted(entries.items())), "catalogue": catalogue}
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    (place.work / "manifest.json").write_text(text, encoding="utf-8")
