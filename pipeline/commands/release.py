"""`traincompute dev release` and `rebuild`: make a release or the vintages of all snapshots; make one again and compare."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from pipeline.base.paths import Paths, checkout
from pipeline.commands.options import FILE, published_stays
from traincompute.commands.options import as_of_option
from traincompute.commands.releases import folder_of, index_option, json_option, report
from traincompute.show.waiting import waiting

EQUAL = "made again from its commit: every file equal, the DuckDB file in what it defines and holds"
NOTABLE = "epoch_notable"  # the source whose snapshots are the vintages


def _template(text: str) -> str:
    try:
        text.format(folder="", name="", asset="")
    except (KeyError, IndexError, ValueError) as error:
        raise click.BadParameter(f"{text!r} may hold {{folder}}, {{name}} and {{asset}} only") from error
    return text


@click.command()
@click.argument("version", required=False)
@as_of_option("Release the dataset as it stood on that day, as vintage-DATE.")
@click.option("--vintages", is_flag=True, help="Release a vintage of every older snapshot that has none, oldest first.")
@click.option("--key", type=FILE, help="Sign with this SSH key.")
@click.option(
    "--url",
    default="",
    metavar="TEMPLATE",
    callback=lambda _c, _p, value: _template(value),
    help="Address of each file in the index; {folder}, {name}, {asset} are put in.",
)
@click.option("--allow-dirty", is_flag=True, help="Also from files that differ from the commit, for a trial.")
@published_stays()
def release(
    version: str | None, as_of: date | None, vintages: bool, key: Path | None, url: str, allow_dirty: bool
) -> None:
    """Make release VERSION (year.month.number) below data/processed/releases/ and enter it in releases.json.

    A release is a folder that never changes: tables, checksums, descriptions, and what changed since the release before.
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
    """Make a release on this machine again from the commit that it names, and compare every byte.

    It is verified first, which compares the DuckDB file, whose bytes differ from build to build, with the other files. Exit code 1 where anything differs.

    Example: traincompute dev rebuild latest
    """
    from pipeline.release.rebuild import rebuild_problems
    from traincompute.verification.verify import content_problems

    folder = folder_of(which, index)
    with waiting("making it again"):
        problems = content_problems(folder) or rebuild_problems(checkout(), folder)
    report(folder, problems, as_json, good=EQUAL)
