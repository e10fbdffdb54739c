"""The same listing on DuckDB and on Spark in local mode, cell by cell."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from bench.listing import write_listing
from bench.measure import COMMAND, alone, measure
from bench.row import Row

RECORDS, FEW = 100_000, 5_000
ENDS = ("training_compute_low", "training_compute_high")
TOLERANCE = 1e-12


def rows(quick: bool, runs: int) -> list[Row]:
    """Rows that differ between the engines, and the largest relative difference between ends of intervals."""
    count = FEW if quick else RECORDS
    if shutil.which("java") is None:
        return []
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    with tempfile.TemporaryDirectory() as name:
        listing = Path(name) / "hub.jsonl"
        alone(write_listing, listing, count)
        files = {engine: Path(name) / f"{engine}.parquet" for engine in ("duckdb", "spark")}
        command = [COMMAND, "scale", "--input", str(listing)]
        taken = {e: measure([*command, "--engine", e, "--output", str(file)]) for e, file in files.items()}
        different, apart = alone(differences, files["duckdb"], Path(f"{files['spark']}/*.parquet"))
    seconds = [Row(f"{count:,} records on {engine}", run.seconds, "s") for engine, run in taken.items()]
    return [
        *seconds,
        Row("rows that differ in a column that is no end of an interval", different, "", target=0),
        Row("largest relative difference of an end", apart, "", target=TOLERANCE),
    ]


def differences(one: Path, other: Path) -> tuple[int, float]:
    """Rows without an equal in the other file, by all columns except the ends, and the largest relative gap between
    ends; an end that is null on one side only counts as infinitely far."""
    import duckdb

    plain = f"* EXCLUDE ({', '.join(ENDS)})"
    left, right = (f"SELECT {plain} FROM '{file}'" for file in (one, other))
    query = f"SELECT count(*) FROM (({left} EXCEPT {right}) UNION ALL ({right} EXCEPT {left}))"
    gaps = [
        f"CASE WHEN a.{end} IS NULL AND b.{end} IS NULL THEN 0 ELSE coalesce(abs(a.{end} / b.{end} - 1), 'inf'::DOUBLE) END"
        for end in ENDS
    ]
    both = f"SELECT max(greatest({', '.join(gaps)})) FROM '{one}' a FULL JOIN '{other}' b USING (hub_id)"
    with duckdb.connect() as connection:
        [(found,)], [(gap,)] = (connection.execute(asked).fetchall() for asked in (query, both))
    return int(found), float(gap)
