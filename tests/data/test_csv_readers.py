"""The published CSV files in the programs that people open them with: every table, every column with its type, no
option but how many rows types are guessed by, where a program looks at the first ones alone."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pytest
from machine import needs_r

from pipeline.paths import Paths
from pipeline.schema import load_schemas

TABLES = sorted(load_schemas(Paths()))
R = """
{library}
files <- list.files({folder}, pattern = "[.]csv$", full.names = TRUE)
kinds <- lapply(files, function(file) {{
  rows <- as.data.frame({read})
  as.list(vapply(rows, function(x) if (all(is.na(x))) "" else class(x)[1], ""))
}})
names(kinds) <- sub("[.]csv$", "", basename(files))
columns <- vapply(kinds, function(k) paste0('"', names(k), '": "', k, '"', collapse = ","), "")
cat("{{", paste0('"', names(kinds), '": {{', columns,
  "}}", collapse = ",\\n"), "}}")
"""


@pytest.fixture(scope="module")
def kinds(tables: dict[str, pd.DataFrame]) -> dict[str, dict[str, str]]:
    """{table: {column: type}} of the columns that have a value."""
    return {
        name: {c.name: c.type for c in schema.columns if tables[name][c.name].notna().any()}
        for name, schema in load_schemas(Paths()).items()
    }


def differing(found: Mapping[str, str], wanted: Mapping[str, str], called: Mapping[str, str]) -> dict[str, str]:
    """The columns with another type than in the schema."""
    return {name: found[name] for name, kind in wanted.items() if kind in called and found[name] not in called[kind]}


@pytest.mark.parametrize("table", TABLES)
def test_pandas_gets_the_types_of_the_schema(published: Path, kinds: dict[str, dict[str, str]], table: str) -> None:
    frame = pd.read_csv(published / f"{table}.csv", low_memory=False)
    called = {"number": "float64", "integer": ("int64", "float64")}  # pandas has no whole number that is missing
    assert differing(frame.dtypes.astype(str).to_dict(), kinds[table], called) == {}
    for name in (name for name, kind in kinds[table].items() if kind == "boolean"):
        assert set(frame[name].dropna().map(type)) == {bool}, name


LONG = ("claims", "estimates", "revisions")  # Polars guesses the types of all their cells in turn


@pytest.mark.parametrize("table", [name for name in TABLES if name not in LONG])
def test_polars_gets_the_types_of_the_schema(published: Path, kinds: dict[str, dict[str, str]], table: str) -> None:
    frame = pl.read_csv(published / f"{table}.csv", infer_schema_length=None, try_parse_dates=True)
    called = {"number": "Float64", "integer": "Int64", "boolean": "Boolean", "date": "Date"}
    assert differing({name: str(kind) for name, kind in frame.schema.items()}, kinds[table], called) == {}


@pytest.mark.parametrize("table", TABLES)
def test_duckdb_gets_the_types_of_the_schema(published: Path, kinds: dict[str, dict[str, str]], table: str) -> None:
    read = duckdb.read_csv(str(published / f"{table}.csv"))
    called = {"number": "DOUBLE", "integer": "BIGINT", "boolean": "BOOLEAN", "date": "DATE"}
    found = dict(zip(read.columns, map(str, read.types), strict=True))
    assert differing(found, kinds[table], called) == {}
    assert all(map(len, read.fetchnumpy().values()))


@pytest.mark.skipif(not shutil.which("sqlite3"), reason="there is no sqlite3")
def test_sqlite_imports_texts_that_can_be_asked(
    published: Path, tables: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    file = tmp_path / "traincompute.db"
    words = ["sqlite3", str(file), f".import --csv '{published / 'models.csv'}' models"]
    subprocess.run(words, check=True)
    models = tables["models"]
    large = int((models["is_notable"] & (models["training_compute_flop"] >= 1e25)).sum())
    query = """select count(*) from models where is_notable = 'TRUE'
        and cast(training_compute_flop as real) >= 1e25"""
    with closing(sqlite3.connect(file)) as database:
        assert database.execute(query).fetchone() == (large,)


def kinds_in_r(folder: Path, library: str, read: str) -> dict[str, dict[str, str]]:
    code = R.format(library=library, folder=json.dumps(str(folder)), read=read)
    done = subprocess.run(["Rscript", "--vanilla", "-e", code], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


@needs_r
def test_base_r_gets_the_types_of_the_schema(published: Path, kinds: dict[str, dict[str, str]]) -> None:
    found = kinds_in_r(published, "", 'read.csv(file, na.strings = "")')
    called = {"number": "numeric", "integer": ("integer", "numeric"), "boolean": "logical"}
    assert {name: differing(found[name], kinds[name], called) for name in TABLES} == {name: {} for name in TABLES}


@needs_r
def test_readr_gets_the_types_of_the_schema(published: Path, kinds: dict[str, dict[str, str]]) -> None:
    if subprocess.run(["Rscript", "--vanilla", "-e", "library(readr)"], capture_output=True).returncode:
        pytest.skip("R has no package readr")
    found = kinds_in_r(published, "library(readr)", "read_csv(file, guess_max = Inf, show_col_types = FALSE)")
    called = {"number": "numeric", "integer": "numeric", "boolean": "logical", "date": "Date"}
    assert {name: differing(found[name], kinds[name], called) for name in TABLES} == {name: {} for name in TABLES}
