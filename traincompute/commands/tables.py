"""`traincompute tables`: the tables of a dataset, or the columns of one, with units and meanings."""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Sequence
from typing import Any

import click

from traincompute.base.places import MANIFEST
from traincompute.commands.options import data_option, dataset_folder
from traincompute.show.table import GAP, Column, clip, lay_out, markdown_lines, text_width
from traincompute.show.values import human

Entry = dict[str, Any]  # as traincompute/query/catalogue.py has it
LONGEST_EXAMPLE = 40
PIPED_WIDTH = 100
NARROW = 60  # nothing is aligned on a screen with fewer columns


@click.command()
@click.argument("table", required=False)
@data_option
@click.option("--json", "form", flag_value="json", help="Print JSON.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown.")
def tables(table: str | None, data: str | None, form: str | None) -> None:
    """Show the tables of the dataset, or the columns of TABLE: type, unit, meaning, share filled and an example.

    Example: traincompute tables models
    """
    folder, described = dataset_folder(data), None
    listed = _listing_in(folder) if not table else None
    if listed is None:
        listed, described = _read(folder, table)
    if form == "json":
        click.echo(json.dumps(described or listed, ensure_ascii=False, indent=1))
    elif form == "markdown":
        click.echo(_columns_markdown(described) if described else _tables_markdown(listed))
    else:
        width = text_width(PIPED_WIDTH)
        click.echo(_columns_text(described, width) if described else _tables_text(listed, width))


def _listing_in(folder: str) -> list[Entry] | None:
    """The listing that the build left in the manifest: quicker than to open the database; else None."""
    try:
        with open(os.path.join(folder, MANIFEST), "rb") as manifest:
            found: list[Entry] = json.load(manifest)["catalogue"]
    except (OSError, ValueError, KeyError):
        return None
    return found


def _read(folder: str, table: str | None) -> tuple[list[Entry], Entry | None]:
    """All tables and views of the dataset, and the wanted one with its columns. Raises click.ClickException for an
    unknown name."""
    from traincompute.database import open_database
    from traincompute.query.catalogue import describe_table, list_tables
    from traincompute.query.errors import no_table

    with open_database(folder) as connection:
        listed = list_tables(connection)
        chosen = next((entry for entry in listed if entry["table"] == (table or "").lower()), None)
        if table and not chosen:
            raise click.ClickException(no_table(connection, table))
        return listed, describe_table(connection, chosen) if chosen else None


def _tables_text(listed: Sequence[Entry], width: int) -> str:
    rows = [(entry["table"], _size(entry)) for entry in listed]
    layout = lay_out((Column(""), Column("", is_number=True)), rows)
    lines = []
    for entry, row in zip(listed, rows, strict=True):
        start = layout.line(row) + GAP
        hang = " " * (len(start) if width >= NARROW else 4)
        lines.append(textwrap.fill(start + entry["description"], width, subsequent_indent=hang))
    return "\n".join([*lines, "", *textwrap.wrap("`traincompute tables TABLE` shows the columns of one.", width)])


def _size(entry: Entry) -> str:
    return "view" if entry["rows"] is None else human(entry["rows"], "row")


def _columns_text(entry: Entry, width: int) -> str:
    """The description; then two lines per column: what it holds, and what it means."""
    head = f"{entry['table']}: {human(entry['rows'], 'row')}, {len(entry['columns'])} columns"
    lines = [head, *textwrap.wrap(entry["description"], width), ""]
    rows = [[*_facts(column), _percent(column), f"  {_example(column)}"] for column in entry["columns"]]
    layout = lay_out([*map(Column, ("", "", "")), Column("", is_number=True), Column("")], rows)
    for column, row in zip(entry["columns"], rows, strict=True):
        indented = textwrap.wrap(_meaning(column), width, initial_indent="    ", subsequent_indent="    ")
        line = layout.line(row) if width >= NARROW else GAP.join(row).rstrip()
        lines += [clip(line, width), *indented]
    return "\n".join(lines)


def _facts(column: Entry) -> list[str]:
    return [str(column[key] or "") for key in ("name", "type", "unit")]


def _percent(column: Entry) -> str:
    """The fill rate; 100 % and 0 % only where they are meant exactly."""
    rate = column["fill_rate"]
    if rate is None:
        return ""
    return f"{100 * rate:.0f} %" if rate in (0, 1) else f"{min(99.9, max(0.1, 100 * rate)):.1f} %"


def _meaning(column: Entry) -> str:
    derived = column["derived"] and f"Derived: {column['derived']}"
    return ". ".join(filter(None, [column["meaning"], derived]))


def _example(column: Entry) -> str:
    return clip(" ".join((column["example"] or "").split()), LONGEST_EXAMPLE)


def _tables_markdown(listed: Sequence[Entry]) -> str:
    rows = [
        (f"`{entry['table']}`", _size(entry).removesuffix("s").removesuffix(" row"), entry["description"])
        for entry in listed
    ]
    columns = (Column("table"), Column("rows", is_number=True), Column("description"))
    return "\n".join(markdown_lines(columns, rows))


def _columns_markdown(entry: Entry) -> str:
    rows = []
    for column in entry["columns"]:
        name, *facts = _facts(column)
        rows.append([f"`{name}`", *facts, _meaning(column), _percent(column), _example(column)])
    names = ("column", "type", "unit", "meaning", "filled", "example")
    heading = f"## {entry['table']}\n\n{entry['description']} {human(entry['rows'], 'row')}.\n\n"
    return heading + "\n".join(markdown_lines([Column(name, name == "filled") for name in names], rows))
