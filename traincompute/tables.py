"""`traincompute tables`: what can be asked, read from the catalogue of the DuckDB file.

Without a name all tables with their rows; with one its columns: type, unit, meaning, how often filled, an example.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from traincompute.commands import data_option, dataset_file
from traincompute.places import DUCKDB_NAME

if TYPE_CHECKING:
    import duckdb

Entry = dict[str, Any]

CATALOGUE = """
select table_name as name, comment as description, false as is_view, column_count from duckdb_tables()
union all
select view_name, comment, true, column_count from duckdb_views() where not internal
order by name"""
COLUMNS = """
select column_name as name, data_type as type, comment from duckdb_columns()
where table_name = $table and not internal order by column_index"""
UNIT = re.compile(r" \[([^\]]+)\]$")
DERIVED = ". Derived: "
LONGEST_EXAMPLE = 40
PIPED_WIDTH = 100
NARROW = 60  # below so many columns nothing is aligned


@click.command()
@click.argument("table", required=False)
@data_option
@click.option("--json", "form", flag_value="json", help="Print JSON.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown.")
def tables(table: str | None, data: str | None, form: str | None) -> None:
    """Show the tables of the dataset, or the columns of TABLE: type, unit, meaning, share filled and an example.

    Example: traincompute tables models
    """
    file, described = dataset_file(data), None
    listed = _listing_beside(file) if not table else None
    if listed is None:
        listed, described = _read(file, table)
    if form == "json":
        click.echo(json.dumps(described or listed, ensure_ascii=False, indent=1))
    elif form == "markdown":
        click.echo(_columns_markdown(described) if described else _tables_markdown(listed))
    else:
        width = min(100, max(40, shutil.get_terminal_size().columns)) if sys.stdout.isatty() else PIPED_WIDTH
        click.echo(_columns_text(described, width) if described else _tables_text(listed, width))


def _listing_beside(file: Path) -> list[Entry] | None:
    """The listing that the build left in the manifest beside its DuckDB file: quicker than to open that; else None."""
    try:
        found: list[Entry] = json.loads(file.with_name("manifest.json").read_bytes())["catalogue"]
    except (OSError, ValueError, KeyError):
        return None
    return found if file.name == DUCKDB_NAME else None


def _read(file: Path, table: str | None) -> tuple[list[Entry], Entry | None]:
    """All tables and views of the file, and the wanted one with its columns. Raises click.ClickException for none such."""
    from traincompute.query import open_sealed
    from traincompute.query_errors import no_table

    with open_sealed(file) as connection:
        listed = list_tables(connection)
        chosen = next((entry for entry in listed if entry["table"] == (table or "").lower()), None)
        if table and not chosen:
            raise click.ClickException(no_table(connection, table))
        return listed, describe_table(connection, chosen) if chosen else None


def list_tables(connection: duckdb.DuckDBPyConnection) -> list[Entry]:
    """One entry per table and view: table, rows (of a view null: it would have to be run), columns (number), description."""
    entries = []
    for name, description, is_view, columns in connection.cursor().execute(CATALOGUE).fetchall():
        rows = None if is_view else _count(connection, name)
        entry = {"table": name, "rows": rows, "columns": columns, "description": description or ""}
        entries.append(entry | ({"view": True} if is_view else {}))
    return entries


def _count(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    (rows,) = connection.cursor().execute(f"select count(*) from {_quoted(table)}").fetchone() or (0,)
    return int(rows)


def describe_table(connection: duckdb.DuckDBPyConnection, entry: Entry) -> Entry:
    """table, rows, description, and per column: name, type, unit, meaning, derived (formula), fill_rate, example.

    The fill rate is the share of rows that are not null, or null in a table without rows. The examples are those of
    the fullest row; where that has none, the first that there is."""
    table = entry["table"]
    entry = {**entry, "rows": _count(connection, table)}
    found = connection.cursor().execute(COLUMNS, {"table": table}).fetchall()
    filled, examples = _filled(connection, table, [name for name, *_ in found])
    columns = []
    for (name, kind, comment), count, example in zip(found, filled, examples, strict=True):
        about, _, derived = (comment or "").partition(DERIVED)
        unit = UNIT.search(about)
        columns.append(
            {
                "name": name,
                "type": kind,
                "unit": unit[1] if unit else None,
                "meaning": UNIT.sub("", about),
                "derived": derived or None,
                "fill_rate": round(count / entry["rows"], 4) if entry["rows"] else None,
                "example": example,
            }
        )
    return {**entry, "columns": columns}


def _filled(
    connection: duckdb.DuckDBPyConnection, table: str, names: Sequence[str]
) -> tuple[Sequence[int], list[str | None]]:
    """How many values each column has, and one of them as text."""
    from traincompute.render import exact

    quoted = [_quoted(name) for name in names]
    counts = ", ".join(f"count({name})" for name in quoted)
    first = ", ".join(f"any_value({name})" for name in quoted)
    cells = " + ".join(f"({name} is not null)::int" for name in quoted)
    source = _quoted(table)
    counted = connection.cursor().execute(f"select {counts} from {source}").fetchone() or ()
    anything = connection.cursor().execute(f"select {first} from {source}").fetchone() or ()
    fullest = f"select * from {source} order by {cells} desc, {quoted[0]} limit 1"
    full = connection.cursor().execute(fullest).fetchone() or anything
    values = (spare if value is None else value for value, spare in zip(full, anything, strict=True))
    return counted, [None if value is None else exact(value) for value in values]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _tables_text(listed: Sequence[Entry], width: int) -> str:
    name_width = max((len(entry["table"]) for entry in listed), default=0)
    sizes = [_size(entry) for entry in listed]
    size_width = max(map(len, sizes), default=0)
    lines = []
    for entry, size in zip(listed, sizes, strict=True):
        start = f"{entry['table']:<{name_width}}  {size:>{size_width}}  "
        hang = " " * (len(start) if width >= NARROW else 4)
        lines.append(textwrap.fill(start + entry["description"], width, subsequent_indent=hang))
    return "\n".join([*lines, "", *textwrap.wrap("`traincompute tables TABLE` shows the columns of one.", width)])


def _size(entry: Entry) -> str:
    return "view" if entry["rows"] is None else f"{entry['rows']:,} rows"


def _columns_text(entry: Entry, width: int) -> str:
    """The description; then two lines per column: what it holds, and what it means."""
    head = f"{entry['table']}: {entry['rows']:,} rows, {len(entry['columns'])} columns"
    lines = [head, *textwrap.wrap(entry["description"], width), ""]
    longest = [max(len(str(column[key] or "")) for column in entry["columns"]) for key in ("name", "type", "unit")]
    sizes = longest if width >= NARROW else [0, 0, 0]
    for column in entry["columns"]:
        facts = [str(column[key] or "").ljust(size) for key, size in zip(("name", "type", "unit"), sizes, strict=True)]
        line = "  ".join([*facts, f"{_percent(column):>6}", "  " + _example(column)]).rstrip()
        indented = textwrap.wrap(_meaning(column), width, initial_indent="    ", subsequent_indent="    ")
        lines += [_cut(line, width), *indented]
    return "\n".join(lines)


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
    return _cut(" ".join((column["example"] or "").split()), LONGEST_EXAMPLE)


def _cut(text: str, width: int) -> str:
    from traincompute.render import clip

    return clip(text, width)


def _tables_markdown(listed: Sequence[Entry]) -> str:
    rows = [(f"`{entry['table']}`", _size(entry).removesuffix(" rows"), entry["description"]) for entry in listed]
    return _markdown(("table", "rows", "description"), rows)


def _columns_markdown(entry: Entry) -> str:
    rows = [
        (
            f"`{column['name']}`",
            column["type"],
            column["unit"] or "",
            _meaning(column),
            _percent(column),
            _example(column),
        )
        for column in entry["columns"]
    ]
    heading = f"## {entry['table']}\n\n{entry['description']} {entry['rows']:,} rows.\n\n"
    return heading + _markdown(("column", "type", "unit", "meaning", "filled", "example"), rows)


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
