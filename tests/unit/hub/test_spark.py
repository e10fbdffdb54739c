"""Spark gives what DuckDB gives. Both commands run in one process, since most of the time goes into starting Java."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from machine import needs_spark
from pyarrow import parquet
from test_discover import LARGE, LISTING
from test_estimates import RECORDS, made, write_known, write_listing

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.hub.discover import discover
from pipeline.hub.engine import duckdb_engine

pytestmark = needs_spark
RUN = """
import json, sys
from traincompute.cli import group
for words in json.loads(sys.argv[1]):
    group([*words, "--engine", "spark"], standalone_mode=False)
"""
# a short job spends its time in Java's second compiler, and gains nothing from it
JAVA = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", "SPARK_LOCAL_IP": "127.0.0.1"}


@pytest.fixture(scope="module")
def folder(built: Paths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a listing, the known models, and what Spark makes of them: spark.parquet and found.json."""
    folder = tmp_path_factory.mktemp("spark")
    listing = write_listing(
        folder / "hub.jsonl", [{**r, "id": f"{r['id']}-{n}"} for n in range(20) for r in RECORDS] + RECORDS
    )
    known, target = write_known(folder), folder / "spark.parquet"
    scale = ["scale", "--input", str(listing), "--output", str(target), "--models", str(known)]
    command = [sys.executable, "-c", RUN, json.dumps([scale, ["discover", str(LISTING), "--json"]])]
    environment = {**os.environ, **JAVA, "PYTHONPATH": str(CHECKOUT), "TRAINCOMPUTE_ROOT": str(built.root)}
    done = subprocess.run(command, env=environment, check=True, timeout=300, capture_output=True, text=True)
    first, _, found = done.stdout.partition("\n")
    assert first.startswith("wrote 147 models to ")
    (folder / "found.json").write_text(found)
    return folder


@pytest.mark.thorough
def test_spark_gives_the_same(folder: Path, tmp_path: Path) -> None:
    """Products exactly; the ends of an interval, which come from a power of ten, to 1e-12."""
    first = made(folder / "hub.jsonl", folder / "models.parquet", tmp_path / "out.parquet")
    second: dict[str, Any] = {row["hub_id"]: row for row in parquet.read_table(folder / "spark.parquet").to_pylist()}
    assert set(second) == set(first)
    ends = ("training_compute_low", "training_compute_high")
    for name, row in first.items():
        assert {k: v for k, v in row.items() if k not in ends} == {
            k: v for k, v in second[name].items() if k not in ends
        }
        assert all(row[k] == second[name][k] or math.isclose(row[k], second[name][k], rel_tol=1e-12) for k in ends)


@pytest.mark.thorough
def test_spark_finds_the_same(folder: Path, built: Paths) -> None:
    expected = discover(duckdb_engine(), built, LISTING, LARGE)
    found = json.loads((folder / "found.json").read_text())
    assert found == [{**c._asdict(), "created": c.created.isoformat()} for c in expected]
