"""The whole build of a ledger that outgrows memory, or one machine: its lines are read and spread over chunks by an engine
(local.py, spark.py), which builds each of them (chunk.py); what they made is put together and published (publish.py). The
files are the same whatever the engine, the size of a chunk and the number of processes.

Left out, since they are about the records of this project's own sources: corrections, decisions about identity, and the
acknowledgements that come with them. Left out, since it compares names in a way that grows faster than their number: the
table of names.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from pipeline.base.errors import DataError, Problem
from pipeline.base.paths import Paths
from pipeline.impute.stage import measured_tables
from pipeline.normalize.facts import load_file
from pipeline.normalize.stage import reference_tables
from pipeline.publish.swap import swap_in, work_folder
from pipeline.registry.context import load_context
from pipeline.registry.frames import to_arrow
from pipeline.scale import among_all
from pipeline.scale.chunk import Place, ledger_context, load_shared, make_tables
from pipeline.scale.engine import Engine
from pipeline.scale.local import Local
from pipeline.scale.publish import publish
from pipeline.scale.routes import NAMES, assign_chunks

MODELS = 18_000  # in a chunk
REFERENCE = 999_999  # the number of the chunk that has no models
Files = Mapping[str, Sequence[Path]]  # the ledger: the files of each source, every line a fact about a model

# When each column of a source had cells, of the plain facts of the whole ledger; on DuckDB and on Spark
COLUMNS = """SELECT source_id, field, min(since) AS first, max(nullif(until, '')) AS last, count(nullif(until, '')) AS ended,
  count(*) AS spans FROM lines WHERE locator = '' GROUP BY source_id, field"""


def find_files(paths: Paths, ledger: Path) -> Files:
    """The files of a ledger: ‹source›/facts*.csv. Raises DataError for a folder that is named after no source of models
    that the checkout declares, and for a ledger without files."""
    declared = {name for name, source in load_context(paths).sources.items() if source.subject == "models"}
    files = {folder.name: sorted(folder.glob("facts*.csv")) for folder in sorted(ledger.glob("*/"))}
    remedy = f"name it after one of {', '.join(sorted(declared))}"
    problems = [
        Problem(str(ledger / name), "", "", "", "no source of models has this name", remedy)
        for name in files
        if name not in declared
    ]
    if not any(files.values()):
        problems.append(Problem(str(ledger), "", "", "", "there are no files <source>/facts*.csv", ""))
    if problems:
        raise DataError(problems)
    return files


def build(
    paths: Paths,
    files: Files,
    target: Path,
    *,
    jobs: int,
    models: int = MODELS,
    engine: Callable[[Path], Engine] | None = None,
    told: Callable[[str], Any] = lambda step: None,
) -> None:
    """Builds the ledger in `files` with the declarations of `paths` and publishes it below `target`, with that many
    processes and about so many models in a chunk. `engine` opens the engine, given the folder that it may write to; `told`
    hears of each step. Raises DataError as the build in memory does."""
    with work_folder(target) as work, tempfile.TemporaryDirectory(dir=target) as name:
        scratch = Path(name)
        place, runs = Place(paths, tuple(files), scratch), engine(scratch) if engine else Local(scratch, jobs)
        told("read")
        share(place)
        runs.read_lines(partial(_read, place), [(source, file) for source in files for file in files[source]])
        runs.query(COLUMNS, scratch / "columns.parquet")
        told("spread")
        runs.query(NAMES, scratch / "names.parquet")
        assign_chunks(scratch / "names.parquet", scratch / "routes.parquet", models)
        told("build")
        runs.make_chunks(partial(_make, place), scratch / "routes.parquet")
        told("publish")
        publish(place, work, jobs)
        swap_in(work, target)


def share(place: Place) -> None:
    """Writes the tables that are about no models, for all chunks, and what is in quarantine of them beside what chunks have
    there."""
    context = load_context(place.paths)
    reference = reference_tables(context)
    reference |= measured_tables(context, reference)
    tables = {name: to_arrow(frame, context.schemas[name]) for name, frame in reference.items()}
    among_all.save(place.made, REFERENCE, {"quarantine": tables.pop("quarantine")})
    (place.scratch / "reference").mkdir()
    for name, table in tables.items():
        parquet.write_table(table, place.scratch / "reference" / f"{name}.parquet")


def _read(place: Place, file: tuple[str, Path]) -> pa.Table:
    source, path = file
    return load_file(place.paths, ledger_context(place).sources[source], path)


def _make(place: Place, number: int, lines: pa.Table) -> None:
    among_all.save(place.made, number, make_tables(load_shared(place), lines))
