"""The same facts give the same bytes, whatever the time zone, locale, hash seed, folder, processor and order of lines
(fault 41)."""

from __future__ import annotations

import hashlib
import random
import shutil
from pathlib import Path

import duckdb
import pytest
from checkouts import copy_declarations
from contents import duckdb_content
from machine import OLDEST_KERNELS

from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas
from traincompute.base.places import DUCKDB_NAME

OTHER = {"TZ": "Pacific/Kiritimati", "LANG": "C", "LC_ALL": "C", "PYTHONHASHSEED": "4711", "OPENBLAS_NUM_THREADS": "2"}
OTHER |= OLDEST_KERNELS


def hashes(processed: Path) -> dict[str, str]:
    files = sorted([*processed.glob("*.csv"), *processed.glob("*.parquet"), processed / "manifest.json"])
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def contents(processed: Path) -> dict[str, str]:
    """The content hash of each table in the DuckDB file, whose bytes differ."""
    schemas = load_schemas(Paths(CHECKOUT))
    with duckdb.connect(str(processed / DUCKDB_NAME), read_only=True) as connection:
        present = {row[0] for row in connection.execute("select table_name from duckdb_tables()").fetchall()}
        return {name: duckdb_content(connection, schemas[name]) for name in sorted(present)}


def shuffle(file: Path, seed: int) -> None:
    head, *lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    random.Random(seed).shuffle(lines)
    file.write_text(head + "".join(lines), encoding="utf-8")


@pytest.fixture
def shuffled(tmp_path: Path) -> Path:
    """A checkout with the same facts in another order."""
    root = tmp_path / "shuffled"
    copy_declarations(root)
    views = "pipeline/publish/sql"
    shutil.copytree(CHECKOUT / views, root / views, dirs_exist_ok=True)
    shutil.copytree(CHECKOUT / "data" / "raw", root / "data" / "raw", dirs_exist_ok=True)
    for number, file in enumerate(sorted((root / "data" / "raw").glob("*/facts*.csv"))):
        shuffle(file, number)
    return root
