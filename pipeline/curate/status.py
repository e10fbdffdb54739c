"""status: what is stale, unresolved or open in the published dataset, from its DuckDB file and data/raw/lock.json."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple

import duckdb

from pipeline.normalize.corrections import lapsed
from pipeline.registry.sources import last_look, locked_snapshots
from traincompute.query.rows import holds

Row = dict[str, Any]


class Section(NamedTuple):
    """One list of open things: its query, and what can be done about them. A column `count` says how many things a row
    stands for. A dataset without the view, if one is named, has none to list."""

    title: str
    query: str
    remedy: str
    view: str = ""


SOURCES = """
    SELECT source_id, snapshot AS built, records, url IS NOT NULL AS pullable FROM sources ORDER BY source_id"""
VOICES = """
    SELECT field, count(*) AS total, count(*) FILTER (supporting_publishers >= 2) AS supported
    FROM claims JOIN models USING (model_id)
    WHERE status = 'selected' AND field IN ('parameters', 'training_tokens') AND is_notable
    AND publication_date >= DATE '2020-01-01' AND list_contains(domains, 'Language') GROUP BY field ORDER BY field"""
ORGANIZATIONS = """
    SELECT count(*) AS total, count(*) FILTER (category IS NULL) AS without_category,
    count(*) FILTER (country IS NULL) AS without_country FROM organizations"""
SECTIONS = {
    "held": Section(
        "values held or set aside, although they can be read",
        """SELECT record, field, value_text, reason FROM quarantine
        WHERE reason_code IN ('held', 'breaks_rule', 'no_model', 'after_snapshot', 'exchanged')
        ORDER BY record, field, value_text""",
        "confirm with traincompute curate add-fact, or correct or acknowledge in data/raw/curated/corrections.yml",
    ),
    "outdated": Section(
        "corrections that keep their effect although upstream has changed the value since",
        "",  # see read_outdated
        "check the new value; if it is right, give the entry in data/raw/curated/corrections.yml `until` and `upstream:"
        " mended`, else its new `value_text`",
    ),
    "quarantine": Section(
        "facts that could not be read",  # corrected ones are settled, and held ones have their own section
        """SELECT field, count(*) AS count, mode(reason) AS reason FROM quarantine
        WHERE reason_code NOT IN ('corrected', 'held', 'breaks_rule', 'no_model', 'after_snapshot', 'exchanged')
        GROUP BY field ORDER BY count DESC, field""",
        "traincompute sql 'from quarantine' says what to do about each",
    ),
    "hardware": Section(
        "mentions of hardware that is no row of the table hardware",
        """SELECT mention, count(*) AS count FROM model_hardware WHERE hardware_id IS NULL
        GROUP BY mention ORDER BY count DESC, mention""",
        "add the spelling to schemas/vocab/hardware.yml",
    ),
    "uncovered": Section(
        "models with training compute and no curated fact",
        """SELECT name, training_compute_flop, training_compute_source FROM models
        WHERE training_compute_flop IS NOT NULL
        AND model_id NOT IN (SELECT model_id FROM claims WHERE source_id = 'curated')
        ORDER BY training_compute_flop DESC, name""",
        "traincompute curate add-fact",
    ),
    "narrowing": Section(
        "facts that would narrow the numbers of notable models of at least 1e25 and 1e24 FLOP most",
        """SELECT name, field, half_width_dex AS now_dex, then_dex, narrows_1e25, narrows_1e24 FROM missing_facts
        WHERE is_notable AND narrows_1e25 + narrows_1e24 > 0
        ORDER BY narrows_1e25 + narrows_1e24 DESC, name, field""",
        "traincompute curate add-fact",
        view="missing_facts",
    ),
    "base_models": Section(
        "models whose base model has another name here",
        """SELECT name, code AS base_model FROM models JOIN claims USING (model_id)
        WHERE field = 'base_model' AND status = 'selected' AND base_model_id IS NULL ORDER BY name""",
        "traincompute curate add-fact … base_model … with the name that it has here",
    ),
}


def read_sources(connection: duckdb.DuckDBPyConnection, lock: Mapping[str, Any], today: date) -> list[Row]:
    """Every source with its newest snapshot (from the lock; for a source entered by hand, the newest line), the age of
    that snapshot in days, the day it was last looked at, and the snapshot that the dataset was built from."""
    rows = read_rows(connection, SOURCES)
    for row in rows:
        newest = max(locked_snapshots(lock, row["source_id"]), default=row["built"])
        row |= {"snapshot": newest, "age_days": (today - newest).days if newest else None}
        row["looked_at"] = last_look(lock, row["source_id"])
    return rows


def read_section(connection: duckdb.DuckDBPyConnection, section: Section, limit: int) -> Row:
    """How many things are open in total, and the first rows."""
    if section is SECTIONS["outdated"]:
        return read_outdated(connection, limit)
    rows = read_rows(connection, section.query) if not section.view or holds(connection, section.view) else []
    return {"total": sum(row.get("count", 1) for row in rows), "rows": rows[:limit]}


def read_outdated(connection: duckdb.DuckDBPyConnection, limit: int) -> Row:
    """The section "outdated"."""
    entries = connection.execute("FROM corrections ORDER BY correction_id").df()
    claims = connection.execute("FROM claims SEMI JOIN corrections USING (source_id, record, field)").df()
    rows = lapsed(entries, claims)
    return {"total": len(rows), "rows": rows[:limit]}


def read_rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[Row]:
    cursor = connection.cursor().execute(query)
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
