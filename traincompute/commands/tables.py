"""`traincompute tables`: the tables of a dataset, or the columns of one, with units and meanings."""

from __future__ import annotations

import json
import os
import textwrap
from typing import Any

import click

from traincompute.base.places import MANIFEST
from traincompute.commands.options import data_option, dataset_folder, json_option
from traincompute.show.table import GAP, Column, Layout, clip, text_width
from traincompute.show.values import human

Entry = dict[str, Any]  # as traincompute/query/catalogue.py has it
LONGEST_EXAMPLE = 40
PIPED_WIDTH = 100
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
    folder, width = dataset_folder(data), text_width(PIPED_WIDTH)
    found = _described(folder, table) if table else _listing(folder)
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, indent=1))
    elif isinstance(found, dict):
        click.echo("\n".join(_column_lines(found, width)))
    else:
        click.echo("\n".join(_table_lines(found, width)))
        click.echo("\n" + textwrap.fill("`traincompute tables TABLE` shows the columns of one.", width))


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


def _table_lines(listed: list[Entry], width: int) -> list[str]:
    starts = [(entry["table"], "view" if entry["rows"] is None else human(entry["rows"], "row")) for entry in listed]
    layout = Layout((Column(""), Column("", is_number=True)), starts)
    texts = [layout.line(start) + GAP for start in starts]
    hang = " " * min(max(map(len, texts), default=0), width // 2)
    return [
        textwrap.fill(text + entry["description"], width, subsequent_indent=hang)
        for text, entry in zip(texts, listed, strict=True)
    ]


def _column_lines(entry: Entry, width: int) -> list[str]:
    """The description; then two lines per column: what it holds, and what it means."""
    count = human(len(entry["columns"]), "column")
    lines = [
        f"{entry['table']}: {human(entry['rows'], 'row')}, {count}",
        *textwrap.wrap(entry["description"], width),
        "",
    ]
    rows = []
    for column in entry["columns"]:
        rate, example = column["fill_rate"], " ".join((column["example"] or "").split())
        # 100 % and 0 % only where exactly so
        filled = f"{100 * rate:.0f} %" if rate in (0, 1) else f"{min(99.9, max(0.1, 100 * (rate or 0))):.1f} %"
        facts = [column["name"], column["type"], column["unit"] or ""]
        rows.append([*facts, "" if rate is None else filled, f"  {clip(example, LONGEST_EXAMPLE)}"])
    layout = Layout([Column(""), Column(""), Column(""), Column("", is_number=True), Column("")], rows)
    for row, column in zip(rows, entry["columns"], strict=True):
        meaning = ". Derived: ".join(filter(None, [column["meaning"], column["derived"]]))
        lines.append(clip(layout.line(row), width))
        lines += textwrap.wrap(meaning, width, initial_indent="    ", subsequent_indent="    ")
    return lines
