"""`traincompute sql`: one read-only query on a dataset."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from traincompute.commands.options import data_option, dataset_folder, form_options, limit_option

if TYPE_CHECKING:
    from traincompute.query.run import Options

SECONDS = click.FloatRange(0, 86_400, min_open=True)
MOST_MEMORY = 2_500_000_000  # bytes of addresses beyond those of a process that has opened the dataset


@click.command()
@click.argument("query", default="-")
@data_option
@form_options("csv", "json", "jsonl", "markdown")
@click.option("--human", is_flag=True, help="Short numbers in tables and Markdown: 3.14e23, 174.6B.")
@limit_option("Return at most N rows.", least=0)
@click.option("--timeout", "timeout_s", type=SECONDS, default=60.0, show_default=True, help="Seconds that it may take.")
@click.option("--time", "timing", is_flag=True, help="Print the number of rows and the seconds to standard error.")
def sql(query: str, data: str | None, form: str | None, **options: Any) -> None:
    """Run QUERY, read-only, on the built dataset. It cannot reach files, the network or settings.

    Without QUERY, or with -, the query is read from standard input. A table fits the terminal and shows six digits;
    CSV and JSON are complete and exact. `traincompute tables` lists the tables; `export --sql` writes Parquet.

    Example: traincompute sql --human "select name, training_compute_flop from models order by 2 desc nulls last limit
    5" """
    from traincompute.query.run import Options

    if options["human"] and form in ("csv", "json", "jsonl"):
        raise click.UsageError("--human goes with tables and --markdown only: CSV and JSON are exact")
    if query == "-" and sys.stdin.isatty():
        raise click.UsageError('no QUERY; for example: traincompute sql "select count(*) from models"')
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig") if query == "-" else query
    except UnicodeDecodeError as error:
        raise click.UsageError("standard input is not UTF-8 text") from error
    run_query(dataset_folder(data), text, form or "table", options=Options(**options))


def run_query(
    folder: str, query: str, form: str, parameters: Mapping[str, Any] | None = None, options: Options | None = None
) -> None:
    """Prints the result as table, csv, json, jsonl or markdown. Raises QueryError where the query is refused or
    fails."""
    from traincompute.database import less_memory, open_database
    from traincompute.query.run import Options, run
    from traincompute.show.rows import write

    start, options = monotonic(), (options or Options())._replace(give_up=_end)
    with open_database(folder) as connection, less_memory(MOST_MEMORY):
        result = run(connection, query, parameters, options)
        write(result, form, human=options.human)
    rows = f"{result.rows:,} {'row' if result.rows == 1 else 'rows'}"
    if result.cut:
        click.echo(f"Only the first {rows}; the result has more (--limit {options.limit}).", err=True)
    if options.timing:
        click.echo(f"{rows} in {monotonic() - start:.3f} s", err=True)


def _end(message: str) -> None:
    """Ends the process from beside a query that does not hear that it is to stop."""
    os.write(2, f"Error: {message}\n".encode())
    os._exit(1)
