"""`traincompute diff`: two releases, or a release and a build, against each other."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from traincompute.base.places import ReleaseError, default_folder, is_path, processed_folder

EXIT_DIFFERENT = 1
CURRENT = "current"


@click.command()
@click.argument("old")
@click.argument("new", default=CURRENT)
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown.")
@click.option("--json", "form", flag_value="json", help="Print JSON with every change.")
@click.option("--csv", "form", flag_value="csv", help="Print every change as CSV.")
@click.option("--column", metavar="NAME", help="Only changes in this column of models.")
@click.option(
    "--limit", type=click.IntRange(min=0), metavar="N", default=30, show_default=True, help="Show at most N changes."
)
def diff(old: str, new: str, form: str | None, column: str | None, limit: int) -> None:
    """Compare OLD with NEW: headline figures, models that came or went, cells that changed, and why.

    Each is a version (of `traincompute releases`, or latest), a folder, or the address of an index with a version
    after a # (https://host/releases.json#latest). NEW defaults to the dataset at hand. The exit code is 0 if all
    tables are equal, 1 if they differ.

    Example: traincompute diff current
    """
    from dataclasses import replace

    from traincompute.comparison import render
    from traincompute.comparison.compare import compare

    found = compare(resolve(old), resolve(new))
    if column:
        if column not in read_column_names(found.new.file("models")):
            raise click.BadParameter(f"models has no column {column!r}", param_hint="'--column'")
        found = replace(found, changes=found.changes[found.changes["column"] == column])
    if form == "json":
        click.echo(render.as_json(found))
    elif form == "csv":
        click.echo(render.as_csv(found.changes), nl=False)
    else:
        make = render.as_markdown if form == "markdown" else render.as_text
        click.echo(make(found, limit))
    sys.exit(0 if found.is_equal else EXIT_DIFFERENT)


def read_column_names(file: Path) -> list[str]:
    """The columns of a Parquet file."""
    from pyarrow import parquet

    names: list[str] = parquet.read_schema(file).names
    return names


def resolve(name: str) -> Path:
    """The folder that a version, a folder's path, `current` or an index's address names.

    Raises ReleaseError if there is no such release or it cannot be fetched."""
    processed = Path(processed_folder())
    if name == CURRENT and not Path(name).is_dir():
        return Path(default_folder() or processed)
    if Path(name).is_dir():
        return Path(name)
    if is_path(name):
        raise ReleaseError(f"{name}: there is no such folder", 2)
    for folder in (name, f"v{name}"):
        if (processed / "releases" / folder / "manifest.json").exists():
            return processed / "releases" / folder
    return download(name)


def download(name: str) -> Path:
    """The folder of a release of the index in use, or of the index at an address, downloaded if necessary."""
    from traincompute.index import find_release, read_index
    from traincompute.resolve_version import published

    address, _, version = name.partition("#") if "://" in name else ("", "", name)
    return published(find_release(read_index(address or None), version or "latest")).folder
