"""Publishes what all chunks made: each table as Parquet and CSV, side by side, and into one DuckDB file, one after the other,
as soon as its Parquet file is there."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from pyarrow import parquet

from pipeline.base.processes import process_pool
from pipeline.publish.duckdb import close_duckdb, disk_errors, insert_table, open_duckdb
from pipeline.publish.publication import write_manifest
from pipeline.publish.stage import manifest_head
from pipeline.publish.table_files import Entry, joined, write_csv, write_files, write_parquet
from pipeline.registry.frames import Tables, arrow_schema, conform, from_arrow, to_arrow
from pipeline.scale import among_all
from pipeline.scale.chunk import Place, load_shared
from pipeline.scale.local import TABLES
from pipeline.validate.stage import check_tables
from traincompute.base.places import DUCKDB_NAME

# written part by part, the longest first, and the models last, which wait for their comparison
LARGE = ("claims", "estimates", "predictions", "revisions", "model_hardware", "quarantine", "models")
MEMORY = "500MB"  # for DuckDB
ZSTD_LEVEL = 1  # the third takes an eighth longer for 4 %


def publish(place: Place, target: Path, jobs: int) -> None:
    """Writes all files of the tables that `among_all.save` left, and the manifest. Raises DataError for a key that two rows
    have."""
    context = load_shared(place).context
    database = open_duckdb(target / DUCKDB_NAME, context.schemas, context.views)
    with disk_errors(), process_pool(jobs, TABLES) as pool, database:
        compared = pool.submit(_compare, place)
        written = {name: [pool.submit(form, place, name, target) for form in FORMS] for name in LARGE[:-1]}
        small = pool.submit(_write_small, place, target)
        compared.result()
        written |= {name: [pool.submit(form, place, name, target) for form in FORMS] for name in LARGE[-1:]}
        for name, (first, _) in written.items():
            first.result()
            insert_table(database, target / f"{name}.parquet", name, MEMORY)
        entries = small.result()
        for name in entries:
            insert_table(database, target / f"{name}.parquet", name, MEMORY)
        entries |= {name: joined(*(form.result() for form in forms)) for name, forms in written.items()}
        catalogue = close_duckdb(database)
    sources = from_arrow(parquet.read_table(target / "sources.parquet"), context.schemas["sources"])
    write_manifest(target, manifest_head(context, {"sources": sources}, None), entries, catalogue)


def _compare(place: Place) -> None:
    among_all.compare(load_shared(place).context, place.made)


def _write_parquet(place: Place, name: str, target: Path) -> Entry:
    table = load_shared(place).context.schemas[name]
    # a dictionary of keys, none of which recurs, takes time and room
    coded = [column for column in table.names if column not in table.primary_key]
    groups = among_all.in_groups(among_all.in_order(place.made, table))
    return write_parquet(name, arrow_schema(table), groups, target, compression_level=ZSTD_LEVEL, use_dictionary=coded)


def _write_csv(place: Place, name: str, target: Path) -> Entry:
    table = load_shared(place).context.schemas[name]
    return write_csv(name, arrow_schema(table), among_all.in_order(place.made, table), target)


FORMS = (_write_parquet, _write_csv)


def _write_small(place: Place, target: Path) -> dict[str, Entry]:
    """Writes the tables that are not LARGE; returns their entries in the manifest."""
    schemas = load_shared(place).context.schemas
    tables = small_tables(place)
    frames = {name: tables.get(name, conform(pd.DataFrame(), schemas[name])) for name in schemas if name not in LARGE}
    return {name: write_files(name, to_arrow(frame, schemas[name]), target) for name, frame in frames.items()}


def small_tables(place: Place) -> Tables:
    """The tables that are about no models or counted over all chunks, checked. Raises DataError as the build in memory
    does."""
    shared = load_shared(place)
    counted = among_all.counted_tables(shared.context, place.made, shared.reference)
    trends = {"trends": among_all.trends(shared.context, place.made, shared.reference)}
    thresholds = {"thresholds": among_all.thresholds(shared.context, place.made)}
    return shared.reference | check_tables(shared.context, counted | trends | thresholds)
