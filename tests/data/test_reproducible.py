"""The same facts give the same bytes, whatever the time zone, locale, hash seed, folder and order of lines (fault
41)."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from checkouts import copy_declarations

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.publish.duckdb import duckdb_content
from pipeline.registry.schema import load_schemas


def run_build(root: Path, cwd: Path, **environment: str) -> dict[str, str]:
    command = [sys.executable, "-c", "from traincompute.cli import main; main()", "build"]
    env = {**os.environ, "TRAINCOMPUTE_ROOT": str(root), "PYTHONPATH": str(CHECKOUT), **environment}
    subprocess.run(command, cwd=cwd, env=env, check=True, capture_output=True, timeout=120)
    processed = root / "data" / "processed"
    files = sorted([*processed.glob("*.csv"), *processed.glob("*.parquet"), processed / "manifest.json"])
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def shuffle(file: Path, seed: int) -> None:
    head, *lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    random.Random(seed).shuffle(lines)
    file.write_text(head + "".join(lines), encoding="utf-8")


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    first, second = (tmp_path_factory.mktemp(name) for name in ("first", "second"))
    for root in (first, second):
        copy_declarations(root)
        shutil.copytree(CHECKOUT / "data" / "raw", root / "data" / "raw")
    for number, file in enumerate(sorted((second / "data" / "raw").glob("*/facts*.csv"))):
        shuffle(file, number)
    return first, second


def test_fault_41_other_settings_and_shuffled_facts_give_the_same_bytes(
    roots: tuple[Path, Path], tmp_path: Path
) -> None:
    first = run_build(roots[0], roots[0], TZ="UTC", LANG="C.UTF-8", PYTHONHASHSEED="0")
    second = run_build(roots[1], tmp_path, TZ="Pacific/Kiritimati", LANG="C", LC_ALL="C", PYTHONHASHSEED="4711")
    assert len(first) >= 15
    assert first == second
    contents = []
    for root in roots:
        with duckdb.connect(str(root / "data" / "processed" / "traincompute.duckdb"), read_only=True) as connection:
            schemas = load_schemas(Paths(CHECKOUT))
            present = {row[0] for row in connection.execute("select table_name from duckdb_tables()").fetchall()}
            contents.append({name: duckdb_content(connection, schemas[name]) for name in sorted(present)})
    assert contents[0] == contents[1]
