"""The dataset of five models, made up, from which tests make pages of the site, and the kept copies of those
(golden/site)."""

from __future__ import annotations

import duckdb
from kept import GOLDEN, kept

SITE = GOLDEN / "site"
LATER = (
    "predictions",
    "revisions",
    "corrections",
    "organizations",
    "hardware",
    "model_hardware",
    "snapshots",
    "trends",
    "thresholds",
    "aliases",
)


def fill(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(kept("site/dataset.sql"))


def fill_as_earlier(connection: duckdb.DuckDBPyConnection) -> None:
    """The same without the tables that earlier versions had not, and without estimates."""
    drops = "".join(f"drop table {table};" for table in LATER)
    connection.execute(
        f"{kept('site/dataset.sql')}; drop view models_completed; drop view threshold_probabilities; {drops} delete"
        " from estimates"
    )
