"""A release of two small tables, for tests that spoil it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import duckdb
import pyarrow as pa
from release_folders import sha256, write_release

from pipeline.publish.publication import write_files

VERSION = "2026.11.0"
MODELS = pa.table(
    {
        "model_id": ["alexnet", "bert", "gpt-3"],
        "name": ["AlexNet", "=BERT", "GPT-3 175B (davinci)"],
        "training_compute_flop": [4.7e17, None, 3.14e23],
        "parameters": pa.array([60_000_000, 340_000_000, 174_600_000_000], pa.int64()),
        "publication_date": [date(2012, 9, 30), date(2018, 10, 11), None],
        "organization": [["University of Toronto"], ["Google", "AI2"], None],
    }
)
SOURCES = pa.table({"source_id": ["epoch_all", "curated"], "redistribute": [True, None]})
TABLES = {"models": MODELS, "sources": SOURCES}


def write_tiny_build(folder: Path, content: Mapping[str, pa.Table] = TABLES) -> Path:
    """The tables as Parquet, CSV and DuckDB, with a manifest."""
    folder.mkdir(parents=True)
    views = (
        'CREATE VIEW "leaders" AS select name from models order by training_compute_flop desc;\n'
        'CREATE MACRO "pfs_days"(flop) as flop / 8.64e19;\n'
    )
    with duckdb.connect(str(folder / "traincompute.duckdb")) as connection:
        for name, table in content.items():
            connection.from_arrow(table).create(name)
        connection.execute(views)
    (folder / "traincompute.sql").write_text(views)
    tables = {name: write_files(name, table, folder) for name, table in content.items()}
    manifest = {"name": "traincompute", "schema_version": "0.2.0", "as_of": None, "tables": tables}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def write_tiny_release(folder: Path) -> Path:
    """The folder of a sound release below `folder`."""
    write_release(write_tiny_build(folder / "build"), folder / "releases", VERSION)
    return folder / "releases" / f"v{VERSION}"


def write_parquet_folder(connection: duckdb.DuckDBPyConnection, folder: Path) -> Path:
    """The tables of a database as Parquet, with a manifest."""
    folder.mkdir(exist_ok=True)
    tables = {}
    for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall():
        connection.execute(f"copy {name} to '{folder / name}.parquet'")
        tables[name] = {"files": {f"{name}.parquet": {"sha256": sha256(folder / f"{name}.parquet")}}}
    (folder / "manifest.json").write_text(json.dumps({"tables": tables}))
    views = connection.execute("select sql from duckdb_views() where not internal").fetchall()
    (folder / "traincompute.sql").write_text("".join(text for (text,) in views))
    return folder
