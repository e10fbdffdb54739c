"""`traincompute tables`: the tables of a dataset, or the columns of one, with units and meanings."""

from __future__ import annotations

import json
import os
import textwrap
from typing import Any

import click

from traincompute.base.places import MANIFEST
from traincompute.commands.options import data_option, dataset_folder
from traincompute.show.table import GAP, Column, clip, lay_out, text_width
from traincompute.show.values import human

Entry = dict[str, Any]  # as traincompute/query/catalogue.py has it
LONGEST_EXAMPLE = 40
PIPED_WIDTH = 100
NARROW = 60  # nothing is aligned on a screen with fewer columns
NAMED = "select table_name, column_name from columns where lower(upstream_name) = lower($1)"


@click.command()
@click.argument("table", required=False)
@data_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def tables(table: str | None, data: str | None, as_json: bool) -> None:
    """Show the tables of the dataset, or the columns of TABLE: type, unit, meaning, share filled and an example.

    TABLE may also be the name of a column in Epoch AI's CSV files, such as "Training compute (FLOP)".

    Example: traincompute tables models
    """
    folder, chosen = dataset_folder(data), None
    listed = [] if table else _listing_in(folder)
    if not listed:
        listed, chosen = _read(folder, table)
    if as_json:
        click.echo(json.dumps(chosen or listed, ensure_ascii=False, indent=1))
    else:
        width = text_width(PIPED_WIDTH)
        click.echo(_columns_text(chosen, width) if chosen else _tables_text(listed, width))


def _listing_in(folder: str) -> list[Entry]:
    """The listing that the build left in the manifest: quicker than to open the database; empty where there is none."""
    try:
        with open(os.path.join(folder, MANIFEST), "rb") as manifest:
            found: list[Entry] = json.load(manifest)["catalogue"]
    except (OSError, ValueError, KeyError):
        return []
    return found


def _read(folder: str, table: str | None) -> tuple[list[Entry], Entry | None]:
    """All tables and views of the dataset, and the wanted one with its columns, or with the one that Epoch AI calls so.
    Raises click.ClickException for an unknown name."""
    from traincompute.database import open_database
    from traincompute.query.catalogue import describe_table, list_tables
    from traincompute.query.errors import no_table
    from traincompute.query.rows import rows

    with open_database(folder) as connection:
        listed = list_tables(connection)
        if not table:
            return listed, None
        by_name = {entry["table"]: entry for entry in listed}
        if chosen := by_name.get(table.lower()):
            return listed, describe_table(connection, chosen)
        if not table.isidentifier() and (named := rows(connection, NAMED, table)):
            name, column = named[0]["table_name"], named[0]["column_name"]
            described = describe_table(connection, by_name[name])
            return listed, described | {"columns": [one for one in described["columns"] if one["name"] == column]}
        raise click.ClickException(no_table(connection, table))


def _tables_text(listed: list[Entry], width: int) -> str:
    starts = [(entry["table"], _size(entry)) for entry in listed]
    layout, lines = lay_out((Column(""), Column("", is_number=True)), starts), []
    for entry, start in zip(listed, map(layout.line, starts), strict=True):
        hang = " " * (len(start + GAP) if width >= NARROW else 4)
        lines.append(textwrap.fill(start + GAP + entry["description"], width, subsequent_indent=hang))
    return "\n".join([*lines, "", textwrap.fill("`traincompute tables TABLE` shows the columns of one.", width)])


def _size(entry: Entry) -> str:
    return "view" if entry["rows"] is None else human(entry["rows"], "row")


def _columns_text(entry: Entry, width: int) -> str:
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
        facts = [str(column[key] or "") for key in ("name", "type", "unit")]
        rows.append([*facts, "" if rate is None else filled, f"  {clip(example, LONGEST_EXAMPLE)}"])
    layout = lay_out([*map(Column, ("", "", "")), Column("", is_number=True), Column("")], rows)
    for row, column in zip(rows, entry["columns"], strict=True):
        line = layout.line(row) if width >= NARROW else GAP.join(row).rstrip()
        meaning = ". Derived: ".join(filter(None, [column["meaning"], column["derived"]]))
        lines += [clip(line, width), *textwrap.wrap(meaning, width, initial_indent="    ", subsequent_indent="    ")]
    return "\n".join(lines)
