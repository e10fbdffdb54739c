"""`traincompute dev release` and `rebuild`: make a release or the vintages of all snapshots; make one again and
compare."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from pipeline.base.paths import Paths, checkout
from pipeline.commands.options import FILE, published_stays
from traincompute.commands.options import as_of_option
from traincompute.commands.releases import found, index_option, json_option, report
from traincompute.show.waiting import waiting

EQUAL = "built again from its commit: every Parquet and CSV file is equal; the DuckDB file is not compared"
NOTABLE = "epoch_notable"  # the source whose snapshots are the vintages


@click.command()
@click.argument("version", required=False)
@as_of_option("Release the dataset as it stood on that day, as vintage-DATE.")
@click.option("--vintages", is_flag=True, help="Release a vintage of every older snapshot that has none, oldest first.")
@click.option("--key", type=FILE, help="Sign with this SSH key.")
@click.option(
    "--url",
    default="",
    metavar="URL",
    help="Address below which the folders will be published.  [default: beside the index]",
)
@click.option("--allow-dirty", is_flag=True, help="Also from files that differ from the commit, for a trial.")
@published_stays()
def release(
    version: str | None, as_of: date | None, vintages: bool, key: Path | None, url: str, allow_dirty: bool
) -> None:
    """Make release VERSION (year.month.number) below data/processed/releases/ and enter it in releases.json.

    A release is a folder that never changes: tables, descriptions, checksums and a signature.
    The commit that it is made from stands in its manifest, so the checkout must be clean.

    Example: traincompute dev release 2026.12.0
    """
    from pipeline.release.make import Request, make_releases, vintage

    if sum(map(bool, (version, as_of, vintages))) != 1:
        raise click.UsageError("give one of VERSION, --as-of and --vintages")
    paths = checkout()
    days = missing_vintages(paths) if vintages else [as_of] if as_of else []
    requests = [Request(vintage(day), day, allow_dirty, key, url) for day in days]
    if version and version.startswith("vintage-"):
        raise click.UsageError("a vintage is made by --as-of DATE")
    if version:
        requests = [Request(version, None, allow_dirty, key, url)]
    for request, folder in zip(requests, make_releases(paths, requests, click.echo), strict=True):
        size = sum(file.stat().st_size for file in folder.iterdir())
        click.echo(f"released {request.version}: {folder} ({size / 1e6:.1f} MB)")
    if not requests:
        click.echo("every snapshot has its vintage")


def missing_vintages(paths: Paths) -> list[date]:
    """The days of the older snapshots of the notable models that have no vintage yet, oldest first."""
    from pipeline.registry.sources import load_lock, locked_snapshots
    from pipeline.release.index import find, read_index
    from pipeline.release.make import vintage

    days, index = locked_snapshots(load_lock(paths), NOTABLE)[:-1], read_index(paths.releases)
    return [day for day in days if not find(index, vintage(day))]


@click.command()
@click.argument("which", metavar="[VERSION|FOLDER]", default="latest")
@index_option
@json_option
def rebuild(which: str, index: str | None, as_json: bool) -> None:
    """Build the commit of a release on this machine again, and compare the hashes of Parquet and CSV.

    It is verified first. The DuckDB file, whose bytes differ from build to build, is not compared. Exit code 1 where
    anything differs.

    Example: traincompute dev rebuild latest
    """
    from pipeline.release.rebuild import rebuild_problems
    from traincompute.verification import verify_folder

    folder, listed = found(which, index)
    with waiting("building it again"):
        problems = verify_folder(folder, listed).problems or rebuild_problems(checkout(), folder)
    report(folder, problems, as_json, good=EQUAL)
