"""`traincompute releases`, `download`, `verify` and `cite`: which releases there are, and what is done with one."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click

from traincompute.base.errors import ReleaseError
from traincompute.base.places import holds_dataset, index_address, is_folder
from traincompute.commands.options import dataset_folder, json_option, version_option
from traincompute.published import Release, build_problems, find_release, read_index, verify_folder
from traincompute.releases import Dataset, install, resolve_version
from traincompute.show.rows import human, print_rows
from traincompute.show.terminal import waiting

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
index_option = click.option("--index", metavar="URL", help="URL of the release index.  [default: $TRAINCOMPUTE_INDEX]")
unsigned_option = click.option("--unsigned", is_flag=True, help="Accept a release that the index lists as unsigned.")
LISTED = ("version", "date", "as_of", "schema_version", "models", "notable", "bytes")


@click.command()
@index_option
@json_option
def releases(index: str | None, as_json: bool) -> None:
    """List the releases in the index, with their dates, models and sizes, and show which are on this machine.

    Example: traincompute releases
    """
    found = read_index(index)
    rows = [
        {name: one.about.get(name) for name in LISTED} | {"here": one.place.is_dir(), "latest": version == found.latest}
        for version, one in found.releases.items()
    ]
    print_rows(rows, "json" if as_json else "table")


@click.command()
@click.argument("version", default="latest")
@index_option
@click.option("--to", type=click.Path(file_okay=False), metavar="DIR", help="Put the release folder into DIR.")
@unsigned_option
def download(version: str, index: str | None, to: str | None, unsigned: bool) -> None:
    """Download release VERSION (by default, the latest) and verify every byte.

    The command writes to the cache, or to the folder given with --to. If the download fails, nothing is left behind. If
    there is already a copy, the command verifies that copy. If a copy in the cache was altered, it is downloaded again.

    Example: traincompute download
    """
    release = find_release(version, index)._replace(may_be_unsigned=unsigned)
    size = human(release.bytes, "byte")
    with waiting(f"downloading {release.version}, {size}") as say:
        folder = install(release, to, lambda done: say(f"{100 * done // max(release.bytes, 1)} %"))
    click.echo(f"{folder}: release {release.version}, {size}, verified: {verify_folder(folder, release).vouched}")


@click.command()
@click.argument("which", metavar="[VERSION|FOLDER|current]", default="latest")
@index_option
@click.option(
    "--allowed-signers", type=FILE, metavar="FILE", help="File with trusted keys.  [default: $TRAINCOMPUTE_SIGNERS]"
)
@unsigned_option
@json_option
def verify(which: str, index: str | None, allowed_signers: Path | None, unsigned: bool, as_json: bool) -> None:
    """Verify that the files of a release on this machine are intact, and show who published the release.

    The files must match SHA256SUMS, there must be no other files, and each table must have the right number of rows.
    The index or a signature shows who published the release. Without either, the result is "integrity only".

    `verify current` checks the dataset in use (a build, or the one in the package) against the dataset's manifest.

    The exit code is 1 if anything is wrong.

    Example: traincompute verify current
    """
    if which == "current":
        at_hand = Path(dataset_folder())
        report(at_hand, build_problems(at_hand), as_json, "as its manifest says")
    folder, release = found(which, index)
    verdict = verify_folder(folder, release and release._replace(may_be_unsigned=unsigned), allowed_signers)
    report(folder, verdict.problems, as_json, f"verified, {verdict.vouched}")


def report(folder: Path, problems: Sequence[str], as_json: bool, good: str) -> None:
    """Prints the problems of a release, or that there are none, and ends with exit code 1 or 0."""
    found = json.dumps({"folder": str(folder), "problems": problems}, ensure_ascii=False, indent=1)
    click.echo(found if as_json else "\n".join(problems) or f"{folder}: {good}")
    sys.exit(bool(problems))


def found(which: str, index: str | None) -> tuple[Path, Release | None]:
    """The folder of a release on this machine, by its path or its version, and what the index in use says of it; None
    where no index is in use or it does not list the version."""
    folder, release, fresh = Path(which), None, index is not None
    if not is_folder(which):
        release = find_release(which, index, fresh)
        folder = release.place
    elif holds_dataset(which) and index_address(index):
        listed = read_index(index, fresh).releases
        with suppress(ReleaseError):  # a damaged manifest, which is among the problems
            release = listed.get(str(Dataset(which).release.get("version")))
    if not folder.is_dir():
        remedy = f"run `traincompute download {release.version}`" if release else "name a folder that is"
        raise ReleaseError(f"{which} is not on this machine; {remedy}", 2)
    return folder, release


@click.command()
@click.option("--bibtex", "style", flag_value="bibtex", help="Print BibTeX entries for the dataset and each source.")
@version_option
def cite(style: str | None, version: str | None) -> None:
    """Print how to cite the dataset in use, with the version, the hash of the data, and the sources to credit.

    Example: traincompute cite --bibtex
    """
    click.echo(resolve_version(version).cite(style or "text"), nl=False)
