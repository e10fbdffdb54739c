"""A whole build of a ledger that does not fit in memory: it is split into chunks (split.py), which are built side by
side (chunk.py), joined (join.py) and written (write.py). The files are the same whatever the number of processes.

Left out, since they are about the records of this project's own sources: corrections, decisions about identity, and the
acknowledgements that come with them. Left out, since it compares names in a way that grows faster than their number: the table of
names.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import replace
from functools import cache, partial
from multiprocessing import get_context
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from pipeline.base.columnar import spare_memory
from pipeline.base.paths import Paths
from pipeline.impute.flop.calibration_tables import Calibrated, load_calibrated
from pipeline.normalize.facts import load_file
from pipeline.publish.stage import manifest_head
from pipeline.publish.swap import swap_in, work_folder
from pipeline.registry.context import Context, load_context
from pipeline.registry.frames import Tables, conform, from_arrow, to_arrow
from pipeline.scale import chunk, join, write
from pipeline.scale.reference import reference_tables
from pipeline.scale.split import Files, Routes, assign_chunks, load_columns, load_routes, route, write_columns
from pipeline.validate.stage import check_tables
from traincompute.base.places import DUCKDB_NAME

MODELS = 18_000  # in a chunk
GARBAGE_AFTER = 50_000  # new objects; Python has 700
# written part by part, the longest first
LARGE = ("claims", "estimates", "models", "predictions", "revisions", "model_hardware", "quarantine")


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


class Task(NamedTuple):
    """What a process of its own does, and the names of the tasks that must be done before."""

    work: Callable[[], Any]
    after: tuple[str, ...] = ()


class Metered(NamedTuple):
    """The result of a task, and what its process has cost until now: processor seconds, and memory at its peak in MB."""

    result: Any
    process: int
    cpu: float
    peak_mb: float


def build(paths: Paths, files: Files, target: Path, jobs: int | None = None, models: int = MODELS) -> dict[str, Cost]:
    """Builds the ledger in `files` and publishes it below `target`, with the declarations of `paths`; returns what each
    step cost. Raises DataError as the build in memory does."""
    jobs, costs = jobs or os.cpu_count() or 1, {}
    with work_folder(target) as work, tempfile.TemporaryDirectory(dir=target) as scratch:
        place = Place(paths, tuple(files), Path(scratch), work)
        done, costs["assign"] = _run(1, {"chunks": Task(partial(_assign, place, files, models, jobs))})
        chunks: int = done["chunks"]
        parts = enumerate((name, file) for name, found in files.items() for file in found)
        _, costs["split"] = _run(jobs, {f"{n}": Task(partial(_route, place, chunks, n, *part)) for n, part in parts})
        _, costs["chunks"] = _run(jobs, {f"{n}": Task(partial(_make_chunk, place, n)) for n in range(chunks)})
        costs["publish"] = _publish(place, jobs)
        swap_in(work, target)
    return costs


def _publish(place: Place, jobs: int) -> Cost:
    """Writes the files. What takes longest is the DuckDB file, which gets one table after the other: first those that need
    no comparison, last the claims, most of all rows, from their Parquet file, so that they are put in order meanwhile."""
    start, (most, *others) = time.perf_counter(), LARGE
    tasks = {
        "trends": Task(partial(_write_trends, place)),
        "small": Task(partial(_compare, place)),
        "duckdb": Task(partial(_fill_duckdb, place, [name for name in others if name != "models"])),
        "parquet": Task(partial(_write, place, most, write.Parquet)),
        "compared": Task(
            partial(_fill_duckdb, place, ["models", *_small_names(place)]), after=("small", "trends", "duckdb")
        ),
        "catalogue": Task(partial(write.complete_duckdb, most, place.work), after=("parquet", "compared")),
        "csv": Task(partial(_write, place, most, write.Csv)),
        **{name: Task(partial(_write, place, name), after=("small",)) for name in others},
    }
    done, cost = _run(jobs, tasks)
    entries = {most: write.joined(done["parquet"], done["csv"]), **{name: done[name] for name in others}}
    _write_manifest(place, done["small"] | done["trends"] | entries, done["catalogue"])
    return cost._replace(seconds=time.perf_counter() - start)


def _run(jobs: int, tasks: Mapping[str, Task]) -> tuple[dict[str, Any], Cost]:
    """The results of the tasks, from that many processes, and what they cost. A process that is free takes the first task
    for which all that it comes after is there."""
    start, before = time.perf_counter(), time.process_time()
    left, running, done = dict(tasks), dict[Future[Metered], str](), dict[str, Metered]()
    with ProcessPoolExecutor(jobs, mp_context=_processes(), initializer=_prepare) as pool:
        while left or running:
            ready = [name for name, task in left.items() if done.keys() >= set(task.after)]
            running |= {pool.submit(_metered, left.pop(name).work): name for name in ready[: jobs - len(running)]}
            done |= {running.pop(future): future.result() for future in wait(running, return_when=FIRST_COMPLETED).done}
    last = {metered.process: metered for metered in done.values()}
    cpu = time.process_time() - before + sum(spent.cpu for spent in last.values())
    peak = _peak_mb() + sum(spent.peak_mb for spent in last.values())
    return {name: done[name].result for name in tasks}, Cost(time.perf_counter() - start, cpu, peak)


def _processes() -> BaseContext:
    """Starts processes by copying one that has only read this module, so that each need not read it again. One thread of
    linear algebra is enough for each: more would wait for each other."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


def _prepare() -> None:
    """Prepares a process that only makes tables: freed memory goes back, and garbage, of which there is little, is looked
    for seldom."""
    spare_memory()
    gc.freeze()
    gc.set_threshold(GARBAGE_AFTER)


def _metered(task: Callable[[], Any]) -> Metered:
    return Metered(task(), os.getpid(), time.process_time(), _peak_mb())


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
    for name in ("ledger", "columns"):
        (place.scratch / name).mkdir(exist_ok=True)
    lines = load_file(place.paths, _context(place).sources[source], file)
    write_columns(lines, place.scratch / "columns" / f"{number:06}.arrow")
    route(lines, _routes(place), chunks, place.scratch / "ledger" / f"{number:06}.arrow")


@cache
def _columns(place: Place) -> pd.DataFrame:
    return load_columns(sorted((place.scratch / "columns").iterdir()))


@cache
def _calibrated(place: Place) -> Calibrated:
    return load_calibrated(place.paths)


def _make_chunk(place: Place, number: int) -> None:
    context, files = _context(place), sorted((place.scratch / "ledger").iterdir())
    facts = chunk.read_chunk(files, number)
    made = chunk.make_tables(context, facts, _reference(place), _columns(place), _calibrated(place))
    chunk.write_tables(context, made, place.scratch / "made" / f"{number:06}", facts.guests)


def _folders(place: Place) -> list[Path]:
    return sorted((place.scratch / "made").iterdir())


def _compare(place: Place) -> dict[str, Any]:
    """Adds what compares all models, and writes the small tables; returns their entries in the manifest."""
    context = _context(place)
    join.compare_all(context, _folders(place))
    return {name: write.write_files(context.schemas[name], [data], place.work) for name, data in _small(place).items()}


def _write_trends(place: Place) -> dict[str, Any]:
    table = _context(place).schemas["trends"]
    made = join.trends(_context(place), _folders(place), _reference(place))
    check_tables(_context(place), {"trends": made})
    return {"trends": write.write_files(table, [to_arrow(made, table)], place.work)}


def _small_names(place: Place) -> list[str]:
    """The tables that are not LARGE, of all that are published: those without rows, too."""
    return [name for name in _context(place).schemas if name not in LARGE]


def _small(place: Place) -> dict[str, pa.Table]:
    context = _context(place)
    known = _reference(place)
    counted = join.small_tables(context, _folders(place), known)
    check_tables(context, counted)
    made = known | counted
    others = [context.schemas[name] for name in _small_names(place) if name != "trends"]
    return {table.name: to_arrow(conform(made.get(table.name, pd.DataFrame()), table), table) for table in others}


def _write(place: Place, name: str, *forms: write.Form) -> write.Entry:
    return write.write_files(_context(place).schemas[name], _rows(place, name), place.work, *forms)


def _fill_duckdb(place: Place, names: Iterable[str]) -> None:
    """Adds tables to the DuckDB file, and makes it if it is not there."""
    context = _context(place)
    if not (place.work / DUCKDB_NAME).exists():
        write.make_duckdb(context, place.work)
    write.fill_duckdb(context, {name: _rows(place, name) for name in names}, place.work)


def _rows(place: Place, name: str) -> Iterable[pa.Table]:
    if name in LARGE:
        return join.in_order(_context(place), _folders(place), name)
    return [parquet.read_table(place.work / f"{name}.parquet")]


def _write_manifest(place: Place, entries: dict[str, Any], catalogue: list[dict[str, Any]]) -> None:
    context = _context(place)
    sources = from_arrow(parquet.read_table(place.work / "sources.parquet"), context.schemas["sources"])
    head = manifest_head(context, {"sources": sources}, None)
    manifest = {**head, "tables": dict(sorted(entries.items())), "catalogue": catalogue}
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    (place.work / "manifest.json").write_text(text, encoding="utf-8")
