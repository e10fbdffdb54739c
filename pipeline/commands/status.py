"""`traincompute curate status`: what is stale, held, unresolved or uncovered."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipeline.base.paths import checkout
from pipeline.options import json_option, limit_option
from traincompute.base.places import DUCKDB_NAME
from traincompute.commands.options import DAY, dataset_folder
from traincompute.show.table import Column, print_table
from traincompute.show.values import human_text

if TYPE_CHECKING:
    from pipeline.curate.status import Row, Section


@click.command()
@click.option("--today", type=DAY, metavar="DATE", default=datetime.now, help="Count ages on that day.")
@limit_option("Show at most N rows per section.", least=0, default=20, show_default=True)
@json_option("Print JSON.")
def status(today: datetime, limit: int, as_json: bool) -> None:
    """Show what is stale, held, unresolved or uncovered.

    Example: traincompute curate status --limit 5
    """
    import duckdb

    from pipeline.curate.status import ORGANIZATIONS, SECTIONS, VOICES, read_rows, read_section, read_sources
    from pipeline.registry.sources import load_lock

    with duckdb.connect(Path(dataset_folder()) / DUCKDB_NAME, read_only=True) as connection:
        answers: Row = {"sources": read_sources(connection, load_lock(checkout()), today.date())}
        answers |= {name: read_section(connection, section, limit) for name, section in SECTIONS.items()}
        answers["organizations"] = read_rows(connection, ORGANIZATIONS)[0]
        answers["voices"] = read_rows(connection, VOICES)
    if as_json:
        click.echo(json.dumps(answers, default=str, ensure_ascii=False, indent=1))
        return
    _print_sources(answers["sources"])
    for name, section in SECTIONS.items():
        _print_section(section, answers[name])
    total, category, country = answers["organizations"].values()
    click.echo(f"\norganisations: {category} of {total} without a category, {country} without a country")
    for row in answers["voices"]:
        share = f"{row['supported']} of {row['total']} ({row['supported'] / row['total']:.1%})"
        click.echo(f"{row['field']} of notable language models since 2020 with two or more publishers: {share}")


def _print_sources(rows: list[Row]) -> None:
    click.echo("sources")
    columns = (Column("source_id"), Column("snapshot"), Column("age", is_number=True), Column("last looked at"))
    more = (Column("records", is_number=True), Column("pulled"), Column("pending"))
    print_table((*columns, *more), [_source(row) for row in rows], indent="  ")


def _source(row: Row) -> list[str]:
    age = f"{row['age_days']} days old" if row["snapshot"] else ""
    pulled = "pulled by URL" if row["pullable"] else "entered by hand"
    late = f"the dataset was built with {row['built']}: run traincompute build"
    pending = late if row["built"] != row["snapshot"] else ""
    snapshot, looked = str(row["snapshot"] or "no snapshot yet"), str(row["looked_at"] or "")
    return [row["source_id"], snapshot, age, looked, str(row["records"]), pulled, pending]


def _print_section(section: Section, answer: Row) -> None:
    rows, total = answer["rows"], answer["total"]
    shown = f", the first {len(rows)}" if len(rows) < total and "count" not in (rows or [{}])[0] else ""
    click.echo(f"\n{section.title}: {total}{shown}" + (f" ({section.remedy})" if total else ""))
    if rows:
        columns = [Column(name, isinstance(value, int | float)) for name, value in rows[0].items()]
        print_table(columns, [[human_text(value) for value in row.values()] for row in rows], indent="  ")
