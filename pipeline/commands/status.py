"""`traincompute status`: what is stale, held, unresolved or uncovered."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from pipeline.base.paths import checkout
from traincompute.commands.options import dataset_file

if TYPE_CHECKING:
    from pipeline.curate.status import Row, Section


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

    from pipeline.curate.status import ORGANIZATIONS, SECTIONS, VOICES, read_rows, read_section, read_sources
    from pipeline.registry.sources import load_lock

    with duckdb.connect(str(dataset_file()), read_only=True) as connection:
        found: Row = {"sources": read_sources(connection, load_lock(checkout()), today.date())}
        found |= {name: read_section(connection, section.query, limit) for name, section in SECTIONS.items()}
        found["organizations"] = read_rows(connection, ORGANIZATIONS)[0]
        found["voices"] = read_rows(connection, VOICES)
    if as_json:
        click.echo(json.dumps(found, default=str, ensure_ascii=False, indent=1))
        return
    _print_sources(found["sources"])
    for name, section in SECTIONS.items():
        _print_section(section, found[name])
    total, category, country = found["organizations"].values()
    click.echo(f"\norganisations: {category} of {total} without a category, {country} without a country")
    for row in found["voices"]:
        share = f"{row['supported']} of {row['total']} ({row['supported'] / row['total']:.1%})"
        click.echo(f"{row['field']} of notable language models since 2020 with two or more publishers: {share}")


def _print_sources(rows: list[Row]) -> None:
    click.echo("sources")
    for row in rows:
        age = f"{row['snapshot']}  {row['age_days']:>5} days old" if row["snapshot"] else "no snapshot yet"
        seen = f", last looked at {row['looked_at']}" if row["looked_at"] else ""
        pull = "pulled by URL" if row["pullable"] else "entered by hand"
        late = f"; the dataset was built with {row['built']}: run traincompute build"
        pending = late if row["built"] != row["snapshot"] else ""
        click.echo(f"  {row['source_id']:<20} {age:<26} {row['records']:>5} records  {pull}{seen}{pending}")


def _print_section(section: Section, found: Row) -> None:
    rows = found["rows"]
    shown = f", the first {len(rows)}" if len(rows) < found["total"] and "count" not in (rows or [{}])[0] else ""
    click.echo(f"\n{section.title}: {found['total']}{shown}" + (f" ({section.remedy})" if found["total"] else ""))
    for row in rows:
        click.echo("  " + "  ".join(_text(value) for value in row.values()))


def _text(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
