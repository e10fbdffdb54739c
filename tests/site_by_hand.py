"""The dataset of five models, made up, from which tests make pages of the site, and the kept copies of those (golden/site).

Where a page is to change, its copy is to become what the failing test shows, after it has been read."""

from __future__ import annotations

from pathlib import Path

import duckdb

GOLDEN = Path(__file__).parent / "golden" / "site"
LATER = ("predictions", "revisions", "corrections", "organizations", "hardware", "model_hardware", "snapshots", "trends", "thresholds", "aliases")  # fmt: skip


def kept(name: str) -> str:
    return (GOLDEN / name).read_text(encoding="utf-8")


def fill(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(kept("dataset.sql"))


def fill_as_earlier(connection: duckdb.DuckDBPyConnection) -> None:
    """The same without the tables that earlier versions had not, and without estimates."""
    drops = "".join(f"drop table {table};" for table in LATER)
    connection.execute(
        f"{kept('dataset.sql')}; drop view models_completed; drop view threshold_probabilities; {drops} delete from estimates"
    )
