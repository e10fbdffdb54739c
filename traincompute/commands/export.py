"""`traincompute export`: a table, or the result of a query, as a file for another program."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from traincompute.export.content import Content

# ending of the file → where it is written, and with what
FORMS = {
    ".csv": ("traincompute.export.plain", "write_csv"),
    ".json": ("traincompute.export.plain", "write_json"),
    ".parquet": ("traincompute.export.plain", "write_parquet"),
    ".xlsx": ("traincompute.export.excel", "write_xlsx"),
    ".dta": ("traincompute.export.stata", "write_dta"),
    ".md": ("traincompute.export.typeset", "write_md"),
    ".tex": ("traincompute.export.typeset", "write_tex"),
}
DESCRIBED = (".csv", ".json")  # they hold rows alone, and a file beside them what these mean


@click.command()
@click.argument("table", required=False)
@click.option("--sql", "query", metavar="QUERY", help="The result of this query instead of a table.")
@click.option(
    "--to",
    "file",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File to write.",
)
@click.option("--version", metavar="V", help="A release (see `traincompute releases`), or the folder of one.")
def export(table: str | None, query: str | None, file: Path, version: str | None) -> None:
    """Write TABLE, or the result of a query, to a file: .csv, .json, .parquet, .xlsx (Excel), .dta (Stata),
    .md (Markdown) or .tex (LaTeX).

    Lists are joined by ; where the format has none. Units, meanings, version and sources are in the file, or for CSV
    and JSON in a Data Package beside it.

    Example: traincompute export models --to models.csv
    """
    if bool(table) == bool(query):
        raise click.UsageError("give one of TABLE and --sql")
    if file.suffix.lower() not in FORMS:
        raise click.BadParameter(f"{file} ends in none of {', '.join(FORMS)}", param_hint="'--to'")
    module, name = FORMS[file.suffix.lower()]
    write = getattr(importlib.import_module(module), name)
    content = _content(table, query, version)
    _write_whole(file, lambda path: write(content, path))
    told = f"wrote {file}: {content.data.num_rows:,} rows, {content.data.num_columns} columns"
    if file.suffix.lower() in DESCRIBED:
        from traincompute.export.plain import describe

        beside = file.with_name(f"{file.name}.datapackage.json")
        _write_whole(beside, lambda path: path.write_text(describe(content, file.name), encoding="utf-8"))
        told += f"; their meanings, version and sources in {beside.name}"
    click.echo(told)


def _content(table: str | None, query: str | None, version: str | None) -> Content:
    from traincompute.database import open_database
    from traincompute.export.content import read_content
    from traincompute.resolve_version import resolve_version

    dataset = resolve_version(version)
    with open_database(dataset.folder) as connection:
        return read_content(connection, table, query, dataset.edition())


def _write_whole(file: Path, write: Callable[[Path], object]) -> None:
    """Has the file written beside its place, and puts it there when it is complete. Raises click.ClickException."""
    from traincompute.show.rows import check_free

    check_free(file)
    work = file.with_name(f".{os.getpid()}.{file.name}")
    try:
        write(work)
        work.replace(file)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror or error}") from error
    finally:
        work.unlink(missing_ok=True)
