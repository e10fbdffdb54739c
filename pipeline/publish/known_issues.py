"""Reads data/known_issues.yml: what is known to be wrong or weak in the dataset, for everyone who takes a release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from pipeline.base.errors import DataError, Problem
from pipeline.base.paths import Paths
from pipeline.base.yamlfile import load_yaml

SHAPE = ([{"issue": str, "count?": str}], None)
REMEDY = "give `issue`, a sentence, and with `{n}` in it `count`, a query that gives one number"


def known_issues(paths: Paths, database: Path) -> list[str]:
    """A sentence for each issue, with the number put in that its query finds in a built database.
    Raises DataError for an entry that has a number to put in and no query, or the other way round."""
    file = paths.known_issues
    entries: list[dict[str, Any]] = load_yaml(file, paths.short(file), SHAPE) or []
    halved = [entry["issue"] for entry in entries if ("{n}" in entry["issue"]) != ("count" in entry)]
    reason = "{n} and count go together"
    DataError.raise_any(Problem(paths.short(file), issue, "count", "", reason, REMEDY) for issue in halved)
    with duckdb.connect(str(database), read_only=True) as connection:
        return [entry["issue"].format(n=_number(connection, entry.get("count"))) for entry in entries]


def _number(connection: Any, query: str | None) -> str:
    return f"{connection.execute(query).fetchone()[0]:,}" if query else ""
