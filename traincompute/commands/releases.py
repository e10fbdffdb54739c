"""The commands about releases: `releases`, `download`, `verify`, `cite`, `diff` and `export`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from traincompute.base.errors import ReleaseError
from traincompute.base.places import default_folder, holds_dataset, index_address, is_folder, processed_folder
from traincompute.commands.options import dataset_folder, form_options, json_option, limit_option, version_option
from traincompute.published import Release, build_problems, find_release, read_index, verify_folder
from traincompute.releases import Dataset, install, resolve_version
from traincompute.show.rows import Result, clip, human, print_rows, write

if TYPE_CHECKING:
    from traincompute.comparison import Comparison

Row = dict[str, Any]
FILE = click.Path(dir_okay=False, path_type=Path)
index_option = click.option("--index", metavar="URL", help="URL of the release index.  [default: $TRAINCOMPUTE_INDEX]")
unsigned_option = click.option("--unsigned", is_flag=True, help="Accept a release that the index lists as unsigned.")
FLOP = "training_compute_flop"
LARGE = 1e25  # FLOP, the threshold of the EU AI Act, article 51
CELLS = ("changed", "filled", "blanked")
ENDINGS = (".csv", ".json", ".parquet")  # of files that `export` writes
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
    a copy already exists, the command only verifies it. If the copy in the cache was altered, it is replaced.

    Example: traincompute download
    """
    release = find_release(version, index)._replace(may_be_unsigned=unsigned)
    size = human(release.bytes, "byte")
    folder = install(release, to)
    click.echo(f"{folder}: release {release.version}, {size}, verified: {verify_folder(folder, release).vouched}")


@click.command()
@click.argument("which", metavar="[VERSION|FOLDER|current]", default="latest")
@index_option
@click.option("--allowed-signers", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="File with trusted keys.  [default: $TRAINCOMPUTE_SIGNERS]")  # fmt: skip
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
        print_verdict(at_hand, build_problems(at_hand), as_json, "as its manifest says")
    folder, release = locate_release(which, index)
    verdict = verify_folder(folder, release and release._replace(may_be_unsigned=unsigned), allowed_signers)
    print_verdict(folder, verdict.problems, as_json, f"verified, {verdict.vouched}")


def print_verdict(folder: Path, problems: Sequence[str], as_json: bool, good: str) -> None:
    """Prints the problems of a release, or that there are none, and ends with exit code 1 or 0."""
    found = json.dumps({"folder": str(folder), "problems": problems}, ensure_ascii=False, indent=1)
    click.echo(found if as_json else "\n".join(problems) or f"{folder}: {good}")
    sys.exit(bool(problems))


def locate_release(which: str, index: str | None) -> tuple[Path, Release | None]:
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
    """Print a citation for the dataset, with its version, the hash of its data and the sources to credit.

    Example: traincompute cite --bibtex
    """
    click.echo(resolve_version(version).cite(style or "text"), nl=False)


@click.command()
@click.argument("old")
@click.argument("new", default="current")
@form_options("markdown", "json", "csv", json="Print JSON with every change.", csv="Print every change as CSV.")
@limit_option("Show at most N changes.", least=0, default=30, show_default=True)
def diff(old: str, new: str, form: str | None, limit: int) -> None:
    """Compare OLD with NEW: headline figures, added and removed models, changed cells, and the cause of each change.

    OLD and NEW can each be a version listed by `traincompute releases`, `latest`, a folder, or `current`. `current` is
    the dataset in use, and the default for NEW. The exit code is 0 if all tables are equal, and 1 if they differ.

    Example: traincompute diff latest
    """
    from traincompute.comparison import COLUMNS, compare

    at_hand = default_folder() or processed_folder()
    current = at_hand if holds_dataset(at_hand) else None
    found = compare(*(resolve_version(current if name == "current" else name).folder for name in (old, new)))
    if form == "csv":
        write(Result(COLUMNS, ([*row.values()] for row in found.changes)), form)
    elif form == "json":
        causes = Counter(row["cause"] for row in found.changes)
        click.echo(json.dumps(found._asdict() | {"causes": causes}, ensure_ascii=False, indent=1))
    else:
        click.echo(f"{found.old} -> {found.new}" + ("" if found.tables else ": no difference"))
        for title, rows in _sections(found, limit, is_full=form == "markdown") if found.tables else ():
            if rows:
                click.echo(f"\n**{title}**\n" if form else f"\n{title}")
                print_rows(rows, form or "table")
    sys.exit(bool(found.tables))


def _sections(found: Comparison, limit: int, is_full: bool) -> Iterator[tuple[str, list[Row]]]:
    """The titles and rows of what is printed. What is full is for somebody who has to agree to it: it begins with what
    came, went or changed of at least LARGE FLOP, and names all models that came or went, whatever the limit."""
    if is_full:

        def flop(row: Row) -> float:
            return max(float(row[side] or 0) for side in ("old", "new"))

        sized = sorted((row for row in found.changes if (row["column"] or FLOP) == FLOP), key=flop, reverse=True)
        large = [_shown(row) for row in sized if flop(row) >= LARGE]
        yield f"At least 1e25 FLOP: all {len(large)} models and values that came, went or changed", large
        for kind in ("model_added", "model_removed"):
            rows = [_shown(row) for row in sized if row["kind"] == kind]
            yield f"All {len(rows)}: {kind.replace('_', ' ')}", rows
    yield "Figures", found.headlines
    yield "Rows of tables that differ", found.tables
    causes = sorted(Counter((row["kind"].replace("_", " "), row["cause"]) for row in found.changes).items())
    yield "Models and cells by cause", [{"what": what, "cause": cause, "number": n} for (what, cause), n in causes]
    cells = Counter((row["column"], row["kind"]) for row in found.changes if row["kind"] in CELLS)
    columns = sorted({name for name, _ in cells})
    yield "Cells by column", [{"column": name, **{kind: cells[name, kind] for kind in CELLS}} for name in columns]
    rows = [_shown(row) for row in found.changes[:limit]]
    yield f"Changes ({len(rows)} of {len(found.changes)}; --csv prints all of them)", rows


def _shown(row: Row) -> Row:
    old, new = ((row[side] or "").removesuffix(".0") for side in ("old", "new"))
    shown = {"model": row["name"], "what": row["column"] or row["kind"].replace("_", " "), "old": old, "new": new}
    return {name: clip(cell, 48) for name, cell in (shown | {"cause": row["cause"]}).items()}


@click.command()
@click.argument("table", required=False)
@click.option("--sql", "query", metavar="QUERY", help="Write the result of this query instead of a table.")
@click.option("--to", "file", required=True, type=FILE, metavar="FILE", help="File to write.")
@click.option("--as", "layout", type=click.Choice(["epoch"]),
              help="Write notable models in the layout of Epoch AI's CSV file.")  # fmt: skip
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

    dataset = resolve_version(version)
    with open_database(dataset.folder) as connection:
        content = epoch_content(connection, with_imputed) if layout else read_content(connection, table, query)
    beside = write_files(content, file, dataset)
    described = f"; their meanings, version and sources in {beside}" if beside else ""
    click.echo(f"wrote {file}: {content.data.num_rows:,} rows, {content.data.num_columns} columns{described}")
