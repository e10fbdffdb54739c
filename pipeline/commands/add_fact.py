"""`traincompute curate add-fact`: check a fact and add it to the curated facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import click

from pipeline.base.errors import DataError, Problem
from pipeline.base.names import clean_name
from pipeline.base.paths import Paths, checkout
from pipeline.registry.provenance import EVIDENCE
from traincompute.base.locks import sole_writer
from traincompute.commands.options import DAY

CITED = ("reference", "locator", "evidence", "since", "accessed")


@click.command()
@click.argument("record")
@click.argument("field")
@click.argument("value")
@click.option("--reference", required=True, help="Primary source: arXiv:2211.05100, doi:10.1038/nature14539, https://…")
@click.option("--locator", required=True, help='Where it says so: "table 5", "section 2.1", "model card".')
@click.option("--evidence", required=True, type=click.Choice(EVIDENCE), help="How it was checked.")
@click.option("--set", "more", multiple=True, metavar="FIELD=VALUE", help="A further fact from the same place.")
@click.option(
    "--new", is_flag=True, help="The model is in no source yet; needs publication_date, organization, domain."
)
@click.option(
    "--accessed", type=DAY, metavar="DATE", default=datetime.now, help="Day on which you looked  [default: today]"
)
@click.option("--since", type=DAY, metavar="DATE", default=datetime.now, help="Day of entry  [default: today]")
@click.option("--sure", is_flag=True, help="The value is right, although it is far from what is known.")
@click.option("--file", help="File below data/raw/curated/ [default: the one for the model's year]")
@click.option("--dry-run", is_flag=True, help="Check and show, write nothing.")
def add_fact(
    record: str, field: str, value: str, more: Sequence[str], new: bool, dry_run: bool, sure: bool = False, **cited: Any
) -> None:
    """Check a fact about the model RECORD and add it to the curated facts.

    \b
    Example: traincompute curate add-fact "BLOOM-3B" training_tokens "341B tokens" \\
                 --reference arXiv:2211.05100 --locator "table 5" --evidence seen
    """
    name, paths = clean_name(record), checkout()
    stated = _stated([f"{field}={value}", *more], {"name": name} if new else {})
    cells = {key: f"{cited[key]:%Y-%m-%d}" if key in ("since", "accessed") else clean_name(cited[key]) for key in CITED}
    cells |= {"record": name, "until": ""}
    rows = [cells | {"field": key, "value_text": text} for key, text in sorted(stated.items())]
    with sole_writer(paths.raw):
        _add(paths, rows, stated, new, sure, cited["file"], dry_run)


def _add(
    paths: Paths,
    rows: Sequence[Mapping[str, str]],
    stated: Mapping[str, str],
    new: bool,
    sure: bool,
    file: str | None,
    dry: bool,
) -> None:
    """Checks the rows against what is known now, and enters them."""
    from pipeline.curate import add_fact as checks

    known = checks.read_checkout(paths, name := rows[0]["record"])
    faults = [Problem("add-fact", name, "", "", *fault) for fault in checks.check_record(known, rows[0], stated, new)]
    faults += [_problem(row, fault) for row in rows for fault in checks.check_row(known, row)]
    DataError.raise_any(faults)
    target = paths.curated / checks.file_for(known, rows, file)
    if not sure:
        DataError.raise_any(_problem(row, doubt) for row in rows for doubt in checks.doubts_of(known, row, target))
    for row in rows:
        click.echo(f"{row['field']}: {row['value_text']} -> {checks.shown(known, row)}")
        for warning in checks.warnings_of(known, row):
            click.echo(f"warning: {warning}", err=True)
    checks.enter(paths, target, rows, dry)


def _problem(row: Mapping[str, str], fault: tuple[str, str]) -> Problem:
    return Problem("add-fact", row["record"], row["field"], row["value_text"], *fault)


def _stated(pairs: Sequence[str], default: Mapping[str, str]) -> dict[str, str]:
    """{field: value} of the command; a new model is called what its record is called unless it says otherwise."""
    stated: dict[str, str] = {}
    for field, value in ((field.strip(), clean_name(value)) for field, _, value in (p.partition("=") for p in pairs)):
        if not (field and value) or field in stated:
            raise click.UsageError(f'"{field}={value}": give each field once and with a value: --set parameters=7B')
        stated[field] = value
    return {**default, **stated}
