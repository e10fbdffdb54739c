"""status: what is stale, unresolved or open: what the built tables say is in sql/status, what else is known is here."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import duckdb

from pipeline.base.paths import Paths
from pipeline.curate.checks import Section, run_folder
from pipeline.normalize.corrections import lapsed
from pipeline.registry.sources import last_look, load_lock, locked_snapshots
from traincompute.query.rows import rows

Check = Callable[[duckdb.DuckDBPyConnection, Paths, date], Section]


def sources(connection: duckdb.DuckDBPyConnection, paths: Paths, today: date) -> Section:
    """Every source with its newest snapshot (from the lock; for a source entered by hand, the newest line), the age of
    that snapshot in days, and the day it was last looked at."""
    lock, listed = load_lock(paths), []
    for row in rows(connection, "SELECT source_id, snapshot, records, url FROM sources ORDER BY source_id"):
        newest = max(locked_snapshots(lock, row["source_id"]), default=row["snapshot"])
        late = f"the dataset was built with {row['snapshot']}: run traincompute build"
        listed.append({
            "source_id": row["source_id"],
            "snapshot": newest,
            "age_days": (today - newest).days if newest else None,
            "last_looked_at": last_look(lock, row["source_id"]),
            "records": row["records"],
            "how": "pulled by URL" if row["url"] else "entered by hand",
            "pending": late if newest != row["snapshot"] else None,
        })  # fmt: skip
    return Section("sources", "sources", "traincompute pull", listed)


def outdated_corrections(connection: duckdb.DuckDBPyConnection, paths: Paths, today: date) -> Section:
    """The corrections whose cell has another value now."""
    entries = connection.execute("FROM corrections ORDER BY correction_id").df()
    claims = connection.execute("FROM claims SEMI JOIN corrections USING (source_id, record, field)").df()
    title = "corrections that keep their effect although upstream has changed the value since"
    remedy = "check the new value; if it is right, give the entry in data/raw/curated/corrections.yml `until` and "
    remedy += "`upstream: mended`, else its new `value_text`"
    return Section("outdated_corrections", title, remedy, lapsed(entries, claims))


CHECKS: tuple[Check, ...] = (sources, outdated_corrections)  # before those of sql/status, in this order


def find_open(connection: duckdb.DuckDBPyConnection, paths: Paths, today: date) -> list[Section]:
    """The sections of all checks, in the order in which they are shown."""
    return [*(check(connection, paths, today) for check in CHECKS), *run_folder(connection, "status")]
