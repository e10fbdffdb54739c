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

    from pyarrow import parquet

    from traincompute.comparison import render
    from traincompute.comparison.compare import compare

    found = compare(_folder(old), _folder(new))
    if column:
        if column not in parquet.read_schema(found.new.file("models")).names:
            raise click.BadParameter(f"models has no column {column!r}", param_hint="'--column'")
        found = replace(found, changes=found.changes[found.changes["column"] == column])
    if form == "csv":
        click.echo(render.as_csv(found.changes), nl=False)
    elif form == "json":
        click.echo(render.as_json(found))
    else:
        click.echo((render.as_markdown if form else render.as_text)(found, limit))
    sys.exit(0 if found.is_equal else EXIT_DIFFERENT)


def _folder(name: str) -> Path:
    """The folder that a version, a folder's path, `current` or an index's address names. Raises ReleaseError if there
    is no such release or it cannot be fetched."""
    processed = Path(processed_folder())
    if Path(name).is_dir():
        return Path(name)
    if is_path(name):
        raise ReleaseError(f"{name}: there is no such folder", 2)
    if name == CURRENT:
        return Path(default_folder() or processed)
    for folder in (processed / "releases" / name, processed / "releases" / f"v{name}"):
        if (folder / "manifest.json").exists():
            return folder
    from traincompute.index import find_release, read_index
    from traincompute.releases import published

    address, _, version = name.partition("#") if "://" in name else ("", "", name)
    return published(find_release(read_index(address or None), version or "latest")).folder
