"""`traincompute sql`: one read-only query on a dataset; `traincompute tables`: what there is to ask."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Mapping
from typing import Any

import click

from traincompute.base.errors import no_table
from traincompute.commands.options import dataset_folder, form_options, json_option, limit_option, version_option
from traincompute.show.rows import clip, human, write
from traincompute.show.terminal import text_width

MOST_MEMORY = 2_500_000_000  # bytes of addresses beyond those of a process that has opened the dataset
NAMED = "select table_name, column_name from columns where lower(upstream_name) = lower($1)"


@click.command()
@click.argument("query", default="-")
@version_option
@form_options("csv", "json", "markdown")
@click.option("--human", is_flag=True, help="Shorten numbers in tables and Markdown, as in 3.14e23 or 174.6B.")
@limit_option("Return at most N rows.", least=0)
@click.option("--timeout", "timeout_s", type=click.FloatRange(0, 86_400, min_open=True), default=60.0,
              show_default=True, help="Time limit in seconds.")  # fmt: skip
def sql(query: str, version: str | None, form: str | None, human: bool, **bounds: Any) -> None:
    """Run a read-only SQL QUERY on the dataset. The query cannot access files, the network or settings.

    Without QUERY, or with -, the command reads the query from standard input. Tables are cut off at the width of the
    terminal and show six significant digits. CSV and JSON are complete and exact. `traincompute tables` lists the
    tables that you can query, and `traincompute export --sql` writes Parquet.

    Example: traincompute sql --human "select name, training_compute_flop from models order by 2 desc nulls last limit
    5" """
    if human and form in ("csv", "json"):
        raise click.UsageError("--human goes with tables and --markdown only: CSV and JSON are exact")
    if query == "-" and sys.stdin.isatty():
        raise click.UsageError('no QUERY; for example: traincompute sql "select count(*) from models"')
    text = sys.stdin.buffer.read().decode("utf-8-sig") if query == "-" else query
    run_query(dataset_folder(version), text, form or "table", human=human, **bounds)


def run_query(
    folder: str, query: str, form: str, parameters: Mapping[str, Any] | None = None, human: bool = False, **bounds: Any
) -> None:
    """Prints the result as `write` does; the bounds are those of `run`. Raises QueryError."""
    from traincompute.database import limit_memory, open_database
    from traincompute.query.run import run

    with open_database(folder) as connection, limit_memory(MOST_MEMORY):
        result = run(connection, query, parameters, give_up=_end, **bounds)
        write(result, form, human)
    if result.is_cut:
        click.echo(f"Cut off by --limit {bounds['limit']}; the result has more rows.", err=True)


def _end(message: str) -> None:
    """Ends the process if DuckDB ignores the interrupt."""
    os.write(2, f"Error: {message}\n".encode())
    os._exit(1)


@click.command()
@click.argument("table", required=False)
@version_option
@json_option
def tables(table: str | None, version: str | None, as_json: bool) -> None:
    """Show the tables in the dataset, or for each column in TABLE the type, unit, meaning, fill rate and an example.

    TABLE may also be the name of a column in Epoch AI's CSV files, such as "Training compute (FLOP)".

    Example: traincompute tables models
    """
    found, width = _asked(dataset_folder(version), table), text_width()
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


def _asked(folder: str, table: str | None) -> Any:
    """All tables, or one with its columns or the one that Epoch AI calls so. Raises ClickException for another name."""
    from traincompute.database import open_database, rows
    from traincompute.query.run import describe_table, list_tables

    with open_database(folder) as connection:
        known = {entry["table"]: entry for entry in list_tables(connection)}
        if not table:
            return list(known.values())
        named = [] if table.lower() in known else rows(connection, NAMED, table)
        name = named[0]["table_name"] if named else table.lower()
        if name not in known:
            raise click.ClickException(no_table(table, list(known)))
        found = describe_table(connection, known[name])
    return found | {"columns": [one for one in found["columns"] if not named or one["name"] == named[0]["column_name"]]}
