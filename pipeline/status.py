"""status: what is stale, unresolved or open in the published dataset; reads its DuckDB file and data/raw/lock.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pipeline.paths import checkout
from pipeline.sources import load_lock, locked_snapshots
from traincompute.commands import dataset_file

if TYPE_CHECKING:
    import duckdb

Row = dict[str, Any]


class Section(NamedTuple):
    """One list of open things: its query, what can be done about them. A column `count` says how many a row stands for."""

    title: str
    query: str
    remedy: str


SOURCES = """
    SELECT source_id, snapshot AS built, records, url IS NOT NULL AS pullable FROM sources ORDER BY source_id"""
ORGANIZATIONS = """
    SELECT count(*) AS total, count(*) FILTER (category IS NULL) AS without_category,
    count(*) FILTER (country IS NULL) AS without_country FROM organizations"""
SECTIONS = {
    "quarantine": Section(
        "facts that could not be read",  # what was corrected is settled, what is held has a section of its own
        """SELECT field, count(*) AS count, mode(reason) AS reason FROM quarantine
        WHERE reason NOT LIKE 'corrected%' AND reason NOT LIKE 'held%'
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
        "traincompute add-fact",
    ),
    "base_models": Section(
        "models whose base model has another name here",
        """SELECT name, code AS base_model FROM models JOIN claims USING (model_id)
        WHERE field = 'base_model' AND status = 'selected' AND base_model_id IS NULL ORDER BY name""",
        "traincompute add-fact … base_model … with the name that it has here",
    ),
    "held": Section(
        "values held because they jump",
        """SELECT record, field, value_text, claims.reason AS reason FROM claims WHERE claims.reason LIKE 'held%'
        ORDER BY record, field, value_text""",
        "confirm with traincompute add-fact, or correct in data/raw/curated/corrections.yml",
    ),
}


@click.command()
@click.option(
    "--today", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE", default=datetime.now, help="Count ages on that day."
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    default=20,
    show_default=True,
    help="At most so many rows per section.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def status(today: datetime, limit: int, as_json: bool) -> None:
    """Show what is stale, held, unresolved or uncovered.

    Example: traincompute status --limit 5
    """
    import duckdb

    with duckdb.connect(str(dataset_file()), read_only=True) as connection:
        found: Row = {"sources": _sources(connection, load_lock(checkout()), today.date())}
        found |= {name: _section(connection, section.query, limit) for name, section in SECTIONS.items()}
        found["organizations"] = _rows(connection, ORGANIZATIONS)[0]
    if as_json:
        click.echo(json.dumps(found, default=str, ensure_ascii=False, indent=1))
        return
    _print_sources(found["sources"])
    for name, section in SECTIONS.items():
        _print_section(section, found[name])
    total, category, country = found["organizations"].values()
    click.echo(f"\norganisations: {category} of {total} without a category, {country} without a country")


def _sources(connection: duckdb.DuckDBPyConnection, lock: Mapping[str, Any], today: date) -> list[Row]:
    """Every source with its newest snapshot (of the lock; of a source that people enter, its newest line), the age of
    that in days, and the snapshot that the dataset was built with."""
    rows = _rows(connection, SOURCES)
    for row in rows:
        newest = max(locked_snapshots(lock, row["source_id"]), default=row["built"])
        row |= {"snapshot": newest, "age_days": (today - newest).days if newest else None}
    return rows


def _section(connection: duckdb.DuckDBPyConnection, query: str, limit: int) -> Row:
    """How many things are open in all, and the first rows."""
    rows = _rows(connection, query)
    return {"total": sum(row.get("count", 1) for row in rows), "rows": rows[:limit]}


def _rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[Row]:
    cursor = connection.cursor().execute(query)
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _print_sources(rows: list[Row]) -> None:
    click.echo("sources")
    for row in rows:
        age = f"{row['snapshot']}  {row['age_days']:>5} days old" if row["snapshot"] else "no snapshot yet"
        pull = "pulled by URL" if row["pullable"] else "entered by hand"
        late = f"; the dataset was built with {row['built']}: run traincompute build"
        pending = late if row["built"] != row["snapshot"] else ""
        click.echo(f"  {row['source_id']:<16} {age:<26} {row['records']:>5} records  {pull}{pending}")


def _print_section(section: Section, found: Row) -> None:
    rows = found["rows"]
    shown = f", the first {len(rows)}" if len(rows) < found["total"] and "count" not in (rows or [{}])[0] else ""
    click.echo(f"\n{section.title}: {found['total']}{shown}" + (f" ({section.remedy})" if found["total"] else ""))
    for row in rows:
        click.echo("  " + "  ".join(_text(value) for value in row.values()))


def _text(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
