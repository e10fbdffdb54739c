"""`traincompute export`: a table, or the result of a query, as a file for another program."""

from __future__ import annotations

from pathlib import Path

import click

from traincompute.commands.options import version_option

ENDINGS = (".csv", ".json", ".parquet")
FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("table", required=False)
@click.option("--sql", "query", metavar="QUERY", help="Write the result of this query instead of a table.")
@click.option("--to", "file", required=True, type=FILE, metavar="FILE", help="File to write.")
@click.option(
    "--as", "layout", type=click.Choice(["epoch"]), help="Write notable models in the layout of Epoch AI's CSV file."
)
@click.option("--with-imputed", is_flag=True, help="With --as epoch, include our own estimates.")
@version_option
def export(
    table: str | None, query: str | None, file: Path, layout: str | None, with_imputed: bool, version: str | None
) -> None:
    """Write TABLE, or the result of a query, to a .csv, .json or .parquet file.

    In CSV, the items of a list are joined with semicolons. A Parquet file includes the units and meanings of the
    columns, the version and the sources. For CSV and JSON, a separate Data Package file contains this information.

    `export models --as epoch` writes the 47 columns of Epoch AI's notable_ai_models.csv, so that scripts written for
    that file run unchanged.

    Example: traincompute export models --to models.csv
    """
    if bool(table) == bool(query):
        raise click.UsageError("give one of TABLE and --sql")
    if (layout and table != "models") or (with_imputed and not layout):
        raise click.UsageError("--as epoch exports the table models only, and --with-imputed goes with it")
    if file.suffix.lower() not in ENDINGS:
        raise click.BadParameter(f"{file} ends in none of {', '.join(ENDINGS)}", param_hint="'--to'")
    from traincompute.database import open_database
    from traincompute.export import epoch_content, read_content, write_files
    from traincompute.releases import resolve_version

    dataset = resolve_version(version)
    with open_database(dataset.folder) as connection:
        content = epoch_content(connection, with_imputed) if layout else read_content(connection, table, query)
    beside = write_files(content, file, dataset)
    described = f"; their meanings, version and sources in {beside}" if beside else ""
    click.echo(f"wrote {file}: {content.data.num_rows:,} rows, {content.data.num_columns} columns{described}")
