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
@click.option("--file", help="File below data/raw/curated/ [default: the one for the model's year]")
@click.option("--dry-run", is_flag=True, help="Check and show, write nothing.")
def add_fact(record: str, field: str, value: str, more: Sequence[str], new: bool, dry_run: bool, **cited: Any) -> None:
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
        _add(paths, rows, stated, new, cited["file"], dry_run)


def _add(
    paths: Paths, rows: Sequence[Mapping[str, str]], stated: Mapping[str, str], new: bool, file: str | None, dry: bool
) -> None:
    """Checks the rows against what is known now, and enters them."""
    from pipeline.curate.add_fact import check_record, check_row, enter, file_for, read_checkout, shown, warnings_of

    known = read_checkout(paths, name := rows[0]["record"])
    faults = [Problem("add-fact", name, "", "", *fault) for fault in check_record(known, rows[0], stated, new)]
    faults += [Problem("add-fact", name, r["field"], r["value_text"], *f) for r in rows for f in check_row(known, r)]
    if faults:
        raise DataError(faults)
    for row in rows:
        click.echo(f"{row['field']}: {row['value_text']} -> {shown(known, row)}")
        for warning in warnings_of(known, row):
            click.echo(f"warning: {warning}", err=True)
    enter(paths, paths.curated / file_for(known, rows, file), rows, dry)


def _stated(pairs: Sequence[str], default: Mapping[str, str]) -> dict[str, str]:
    """{field: value} of the command; a new model is called what its record is called unless it says otherwise."""
    stated: dict[str, str] = {}
    for field, value in ((field.strip(), clean_name(value)) for field, _, value in (p.partition("=") for p in pairs)):
        if not (field and value) or field in stated:
            raise click.UsageError(f'"{field}={value}": give each field once and with a value: --set parameters=7B')
        stated[field] = value
    return {**default, **stated}
