"""`traincompute tables`: the tables of a dataset, or the columns of one, with units and meanings."""

from __future__ import annotations

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
            rate, example = one["fill_rate"], clip(" ".join((one["example"] or "").split()), 40)
            # 100 % and 0 % only where exactly so
            share = rate if rate in (0, 1, None) else min(0.999, max(0.001, rate))
            filled = "" if share is None else f"{100 * share:.{int(share not in (0, 1))}f} %"
            kind = f"{one['type']:<12} {one['unit'] or '':<16} {filled:>7}"
            click.echo(clip(f"{one['name']:<30} {kind}  {example}".rstrip(), width))
            meaning = ". Derived: ".join(filter(None, [one["meaning"], one["derived"]]))
            click.echo(textwrap.fill(meaning, width, initial_indent="    ", subsequent_indent="    "))


def _listing(folder: str) -> list[Entry]:
    """All tables and views. The build left them in the manifest, which is quicker to read than to open the database."""
    try:
        with open(os.path.join(folder, MANIFEST), "rb") as manifest:
            found: list[Entry] = json.load(manifest)["catalogue"]
    except (OSError, ValueError, KeyError):
        from traincompute.database import open_database
        from traincompute.query.catalogue import list_tables

        with open_database(folder) as connection:
            return list_tables(connection)
    return found


def _described(folder: str, table: str) -> Entry:
    """The table with its columns, or with the one that Epoch AI calls so. Raises click.ClickException for an unknown
    name."""
    from traincompute.database import open_database
    from traincompute.query.catalogue import describe_table, list_tables
    from traincompute.query.errors import no_table
    from traincompute.query.rows import rows

    with open_database(folder) as connection:
        by_name = {entry["table"]: entry for entry in list_tables(connection)}
        if chosen := by_name.get(table.lower()):
            return describe_table(connection, chosen)
        if not table.isidentifier() and (named := rows(connection, NAMED, table)):
            found = describe_table(connection, by_name[named[0]["table_name"]])
            return found | {"columns": [one for one in found["columns"] if one["name"] == named[0]["column_name"]]}
        raise click.ClickException(no_table(connection, table))
