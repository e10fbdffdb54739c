"""`traincompute tables`: the tables of a dataset, or the columns of one, with units and meanings."""

from __future__ import annotations

import contextlib
import json
import os
import textwrap
from typing import Any

import click

from traincompute.base.places import MANIFEST
from traincompute.commands.options import data_option, dataset_folder, json_option
from traincompute.show.table import clip, text_width
from traincompute.show.values import human

Entry = dict[str, Any]  # as traincompute/query/catalogue.py has it
NAMED = "select table_name, column_name from columns where lower(upstream_name) = lower($1)"


@click.command()
@click.argument("table", required=False)
@data_option
@json_option()
def tables(table: str | None, data: str | None, as_json: bool) -> None:
    """Show the tables of the dataset, or the columns of TABLE: type, unit, meaning, share filled and an example.

    TABLE may also be the name of a column in Epoch AI's CSV files, such as "Training compute (FLOP)".

    Example: traincompute tables models
    """
    folder, width = dataset_folder(data), text_width(100)
    found = _described(folder, table) if table else _listing(folder)
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, indent=1))
    elif isinstance(found, list):
        for one in found:
            start = f"{one['table']:<24} {'view' if one['rows'] is None else human(one['rows'], 'row'):>12}  "
            click.echo(textwrap.fill(start + one["description"], width, subsequent_indent=" " * min(39, width // 2)))
    else:
        click.echo(f"{found['table']}: {human(found['rows'], 'row')}, {human(len(found['columns']), 'column')}")
        click.echo(textwrap.fill(found["description"], width) + "\n")
        for one in found["columns"]:
            example = clip(" ".join((one["example"] or "").split()), 40)
            filled = "" if one["fill_rate"] is None else f"{100 * one['fill_rate']:.4g} %"
            kind = f"{one['type']:<12} {one['unit'] or '':<16} {filled:>7}"
            click.echo(clip(f"{one['name']:<30} {kind}  {example}".rstrip(), width))
            meaning = ". Derived: ".join(filter(None, [one["meaning"], one["derived"]]))
            click.echo(textwrap.fill(meaning, width, initial_indent="    ", subsequent_indent="    "))


def _listing(folder: str) -> list[Entry]:
    """All tables and views. The build left them in the manifest, which is quicker to read than to open the database."""
    with contextlib.suppress(OSError, ValueError, KeyError), open(os.path.join(folder, MANIFEST), "rb") as manifest:
        found: list[Entry] = json.load(manifest)["catalogue"]
        return found
    from traincompute.database import open_database
    from traincompute.query.catalogue import list_tables

    with open_database(folder) as connection:
        return list_tables(connection)


def _described(folder: str, table: str) -> Entry:
    """The table with its columns, or with the one that Epoch AI calls so. Raises click.ClickException for an unknown
    name."""
    from traincompute.database import open_database
    from traincompute.query.catalogue import describe_table, list_tables
    from traincompute.query.errors import no_table
    from traincompute.query.rows import rows

    with open_database(folder) as connection:
        by_name = {entry["table"]: entry for entry in list_tables(connection)}
        named = [] if table.isidentifier() else rows(connection, NAMED, table)
        chosen = by_name.get(named[0]["table_name"] if named else table.lower())
        if not chosen:
            raise click.ClickException(no_table(connection, table))
        found = describe_table(connection, chosen)
    return found | {"columns": [one for one in found["columns"] if not named or one["name"] == named[0]["column_name"]]}
