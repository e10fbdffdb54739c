"""`traincompute sql`: one read-only query on a dataset, printed or written as Parquet."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
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
@click.option("-f", "--file", type=click.File("rb"), help="Read the query from a file.")
@data_option
@form_options("csv", "json", "jsonl", "markdown")
@click.option("--parquet", type=click.Path(dir_okay=False), metavar="FILE", help="Write a Parquet file, print nothing.")
@click.option("--human", is_flag=True, help="Short numbers in tables: 3.14e23, 174.6B.")
@limit_option("Return at most N rows.", least=0)
@click.option("--timeout", "timeout_s", type=SECONDS, default=60.0, show_default=True, help="Seconds that it may take.")
@click.option("--time", "timing", is_flag=True, help="Print the number of rows and the seconds to standard error.")
def sql(query: str, file: Any, data: str | None, form: str | None, **options: Any) -> None:
    """Run QUERY, read-only, on the built dataset. It cannot reach files, the network or settings.

    Without QUERY, or with -, the query is read from standard input. A table fits the terminal and shows six digits;
    CSV and JSON are complete and exact. `traincompute tables` lists the tables.

    Example: traincompute sql --human "select name, training_compute_flop from models order by 2 desc nulls last limit
    5" """
    from traincompute.query.run import Options

    if (form and options["parquet"]) or (options["human"] and form in ("csv", "json", "jsonl")):
        raise click.UsageError("--parquet prints nothing, and --human goes with tables and --markdown only")
    if file and query != "-":
        raise click.UsageError("give QUERY or --file, not both")
    if query == "-" and not file and sys.stdin.isatty():
        raise click.UsageError('no QUERY; for example: traincompute sql "select count(*) from models"')
    try:
        text = (file or sys.stdin.buffer).read().decode("utf-8-sig") if query == "-" else query
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{file.name if file else 'standard input'} is not UTF-8 text") from error
    run_query(dataset_folder(data), text, form or "table", options=Options(**options))


def run_query(
    folder: str, query: str, form: str, parameters: Mapping[str, Any] | None = None, options: Options | None = None
) -> None:
    """Prints the result as table, csv, json, jsonl or markdown, or writes it as Parquet where the options name a file.

    Raises QueryError where the query is refused or fails."""
    from traincompute.database import less_memory, open_database
    from traincompute.query.run import Options, run, run_to_table
    from traincompute.show.rows import whole_file, write

    start, options = monotonic(), options or Options()
    with open_database(folder) as connection, less_memory(MOST_MEMORY):
        if options.parquet:
            from pyarrow import parquet

            whole = run_to_table(connection, query, parameters, options)
            with whole_file(Path(options.parquet)) as work:
                parquet.write_table(table := whole.slice(0, options.limit), work, compression="zstd")
            count, is_cut = table.num_rows, table.num_rows < whole.num_rows
        else:
            result = run(connection, query, parameters, options)
            write(result, form, human=options.human)
            count, is_cut = result.rows, result.cut
    rows = f"{count:,} {'row' if count == 1 else 'rows'}"
    if is_cut:
        click.echo(f"Only the first {rows}; the result has more (--limit {options.limit}).", err=True)
    if options.timing:
        click.echo(f"{rows} in {monotonic() - start:.3f} s", err=True)
