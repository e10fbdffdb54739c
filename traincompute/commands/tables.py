"""`traincompute tables`: the tables of a dataset, or the columns of one, with units and meanings."""

from __future__ import annotations

import json
import os
import textwrap
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
NAMED = "select table_name, column_name from columns where lower(upstream_name) = lower($1)"


@click.command()
@click.argument("table", required=False)
@data_option
@click.option("--json", "form", flag_value="json", help="Print JSON.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown.")
def tables(table: str | None, data: str | None, form: str | None) -> None:
    """Show the tables of the dataset, or the columns of TABLE: type, unit, meaning, share filled and an example.

    TABLE may also be the name of a column in Epoch AI's CSV files, such as "Training compute (FLOP)".

    Example: traincompute tables models
    """
    folder, chosen = dataset_folder(data), None
    listed = [] if table else _listing_in(folder)
    if not listed:
        listed, chosen = _read(folder, table)
    width = text_width(PIPED_WIDTH)
    if form == "json":
        click.echo(json.dumps(chosen or listed, ensure_ascii=False, indent=1))
    elif chosen:
        click.echo(_columns_markdown(chosen) if form else _columns_text(chosen, width))
    elif form:
        sizes = [_size(entry).removesuffix("s").removesuffix(" row") for entry in listed]
        rows = [(f"`{e['table']}`", size, e["description"]) for e, size in zip(listed, sizes, strict=True)]
        click.echo("\n".join(markdown_lines([Column("table"), Column("rows", True), Column("description")], rows)))
    else:
        click.echo(_tables_text(listed, width))


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


def _cells(column: Entry) -> tuple[list[str], str, str, str]:
    """name, type and unit; meaning; share filled (100 % and 0 % only where exactly so); example."""
    rate = column["fill_rate"]
    percent = f"{100 * rate:.0f} %" if rate in (0, 1) else f"{min(99.9, max(0.1, 100 * (rate or 0))):.1f} %"
    derived = column["derived"] and f"Derived: {column['derived']}"
    meaning = ". ".join(filter(None, [column["meaning"], derived]))
    example = clip(" ".join((column["example"] or "").split()), LONGEST_EXAMPLE)
    return (
        [str(column[key] or "") for key in ("name", "type", "unit")],
        meaning,
        "" if rate is None else percent,
        example,
    )


def _columns_text(entry: Entry, width: int) -> str:
    """The description; then two lines per column: what it holds, and what it means."""
    count = len(entry["columns"])
    head = f"{entry['table']}: {human(entry['rows'], 'row')}, {human(count, 'column')}"
    lines = [head, *textwrap.wrap(entry["description"], width), ""]
    cells = [_cells(column) for column in entry["columns"]]
    rows = [[*facts, percent, f"  {example}"] for facts, _, percent, example in cells]
    layout = lay_out([*map(Column, ("", "", "")), Column("", is_number=True), Column("")], rows)
    for row, (_, meaning, _, _) in zip(rows, cells, strict=True):
        line = layout.line(row) if width >= NARROW else GAP.join(row).rstrip()
        lines += [clip(line, width), *textwrap.wrap(meaning, width, initial_indent="    ", subsequent_indent="    ")]
    return "\n".join(lines)


def _columns_markdown(entry: Entry) -> str:
    names = ("column", "type", "unit", "meaning", "filled", "example")
    cells = (_cells(column) for column in entry["columns"])
    rows = [[f"`{name}`", *facts, meaning, percent, example] for (name, *facts), meaning, percent, example in cells]
    heading = f"## {entry['table']}\n\n{entry['description']} {human(entry['rows'], 'row')}.\n\n"
    return heading + "\n".join(markdown_lines([Column(name, name == "filled") for name in names], rows))
