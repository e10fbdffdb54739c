"""The commands that make the dataset: pull, build and its stages, releases. Heavy imports wait until a command runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from pipeline.paths import checkout
from traincompute.commands.options import DAY, json_option
from traincompute.commands.releases import index_option, locate_release, print_verdict
from traincompute.show.terminal import waiting

VINTAGES_OF = "epoch_notable"  # the source whose snapshots are the vintages
Command = TypeVar("Command", bound=Callable[..., Any])
EQUAL = "built again from its commit: every Parquet and CSV file is equal; the DuckDB file is not compared"
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def as_of_option(text: str) -> Callable[[Command], Command]:
    """The option --as-of with that help; it reaches the command as a date that has come, or None."""

    def past(_c: click.Context, _p: click.Parameter, value: datetime | None) -> date | None:
        if value and value > datetime.now():
            raise click.BadParameter(f"{value:%Y-%m-%d} is to come: today is {datetime.now():%Y-%m-%d}")
        return value.date() if value else None

    return click.option("--as-of", type=DAY, metavar="DATE", callback=past, help=text)


AS_OF = as_of_option("Build the dataset as of DATE, in a separate folder.")


@click.command()
@click.argument("source", required=False)
@click.option("--mirror", metavar="URL", default="", help="Fetch URL/host/path instead of https://host/path.")
@click.option(
    "--file", "files", multiple=True, type=FILE, help="Read FILE from disk, not from the network (repeatable)."
)
@as_of_option("Record the file as the snapshot for DATE.")
@click.option("--update", is_flag=True, help="Accept a file that differs from the one recorded in data/raw/lock.json.")
@click.option("--strict", is_flag=True, help="Fail if a source cannot be fetched, instead of using the last snapshot.")
def pull(source: str | None, **options: Any) -> None:
    """Fetch SOURCE (by default, every source) and record the facts in the ledger in data/raw/.

    Example: traincompute pull epoch_notable --update
    """
    from pipeline.config import load_sources
    from pipeline.errors import DataError, Problem, SourceError
    from pipeline.pull.snapshot import Request, pull_source

    paths, request = checkout(), Request(**options)
    pullable = [one for one in load_sources(paths).values() if one.adapter != "curated"]
    sources = {one.id: one for one in pullable if one.urls or request.files}
    if source and source not in sources:
        raise click.BadParameter(f"no source {source!r}; there are {', '.join(sources)}", param_hint="SOURCE")
    if request.files and not source:
        raise click.UsageError("--file needs a SOURCE")
    unreachable, problems = list[str](), list[Problem]()
    for name in [source] if source else list(sources):
        try:
            pull_source(paths, sources[name], request, click.echo)
        except SourceError as error:
            unreachable.append(str(error))
        except DataError as error:
            problems += error.problems
    if unreachable:
        raise SourceError("\n".join([*unreachable, *map(str, problems)]))
    DataError.raise_any(problems)


@click.command()
@AS_OF
@click.option("--force", is_flag=True, help="Build even if nothing has changed since the last build.")
@click.option(
    "--strict", is_flag=True, help="Exit with code 1 if the build reports a change that waivers.csv does not accept."
)
def build(as_of: date | None, force: bool, strict: bool) -> None:
    """Build the dataset offline from the committed facts. The steps are: normalize, compare with the last release,
    validate, impute and publish.

    If a value has changed too much since the last release, the dataset keeps the released value. The command prints
    such changes first.

    --as-of writes to data/processed/vintage-DATE, for use with --data and load(), and does not change the newest build.

    If the code, schemas and facts have not changed since the last build, the command does nothing.

    Example: traincompute build
    """
    from pipeline.files import sole_writer
    from pipeline.publish.builds import is_current, sweep_builds
    from pipeline.validate.gate import check_listed, findings_lines, read_findings

    start, paths = time.perf_counter(), checkout().of(as_of)
    with sole_writer(paths.raw, wait=False):  # sweeps what killed processes left
        pass
    if not force and is_current(paths, as_of):
        sweep_builds(paths.processed)
        findings, _ = read_findings(paths.processed)
        lines = [f"up to date    {paths.processed}: nothing has changed since it was built (--force builds again)"]
    else:
        from pipeline import build as steps

        with waiting("building"):
            tables, verdict = steps.build(paths, as_of)
        findings = verdict.findings
        lines = [*steps.summarize(paths, tables), *filter(None, [verdict.note])]
        lines.append(f"published     {paths.processed} in {time.perf_counter() - start:.1f} s")
    click.echo("\n".join([*findings_lines(findings), *lines]))
    if strict:
        check_listed(findings)


@click.command()
@AS_OF
def normalize(as_of: date | None) -> None:
    """Run stage 1 of the build: turn the committed facts into typed claims in data/processed/stages/.

    Example: traincompute stage normalize && traincompute stage validate && traincompute stage impute && traincompute
    stage publish"""
    from pipeline.build import normalized
    from pipeline.config import load_config
    from pipeline.publish.publication import save
    from pipeline.validate.gate import findings_lines

    context = load_config(checkout())
    with waiting("reading, selecting and comparing with the last release"):
        verdict = normalized(context, as_of, {})
    save(context, verdict.tables, as_of)
    claims, models, excluded = (len(verdict.tables[name]) for name in ("claims", "models", "quarantine"))
    counts = f"normalized {claims} claims about {models} models, {excluded} quarantined"
    click.echo("\n".join([*findings_lines(verdict.findings), counts]))


@click.command()
def validate() -> None:
    """Run stage 2 of the build: check the tables in data/processed/stages/ that do not depend on stage 3.

    Example: traincompute stage validate
    """
    from pipeline.config import load_config
    from pipeline.impute.stage import UNFINISHED
    from pipeline.publish.publication import load
    from pipeline.validate.stage import check_links, check_tables, with_waivers

    context = load_config(checkout())
    tables, as_of = load(context)
    judge = with_waivers(context, as_of, tables["claims"])
    finished = check_tables(judge, tables, () if "estimates" in tables else UNFINISHED)
    check_links(context, tables)
    click.echo(f"validated {', '.join(sorted(finished))}")


@click.command()
def impute() -> None:
    """Run stage 3 of the build: estimate the training compute of models that lack a published value.

    Example: traincompute stage impute
    """
    from pipeline.config import load_config
    from pipeline.impute.stage import imputed
    from pipeline.publish.publication import load, save

    context = load_config(checkout())
    tables, as_of = load(context)
    with waiting("estimating"):
        for completed in imputed(context, tables):
            tables |= completed
    save(context, tables, as_of)
    click.echo(f"imputed values: {int((tables['models']['training_compute_source'] == 'imputed').sum())}")


@click.command()
def publish() -> None:
    """Run stage 4 of the build: check the tables again, and write them to data/processed/ in all formats.

    Example: traincompute stage publish
    """
    from pipeline.config import load_config
    from pipeline.publish.publication import load, publish_tables
    from pipeline.validate.stage import check_links, check_tables, with_waivers

    context = load_config(checkout())
    tables, as_of = load(context)
    if "estimates" not in tables:
        raise click.UsageError("there are no estimates yet; run `traincompute stage impute` first")
    check_tables(with_waivers(context, as_of, tables["claims"]), tables)
    check_links(context, tables)
    with waiting("writing"):
        folder = publish_tables(context, tables, as_of)
    click.echo(f"published {folder}")


@click.command()
@click.argument("version", required=False)
@as_of_option("Release the dataset as of DATE under the name vintage-DATE.")
@click.option("--vintages", is_flag=True, help="Release a vintage for each older snapshot that has none, oldest first.")
@click.option("--key", type=FILE, help="Sign the release with this SSH key.")
@click.option("--url", default="", help="URL of the published folders.  [default: next to the index]")
@click.option("--allow-dirty", is_flag=True, help="Allow uncommitted changes, for a trial release.")
def release(version: str | None, as_of: date | None, vintages: bool, **how: Any) -> None:
    """Create release VERSION (year.month.number) in data/processed/releases/ and add it to releases.json.

    A release is a folder that never changes. It contains tables, descriptions, checksums and a signature. The manifest
    names the commit that the release was made from, so the checkout must be clean.

    Example: traincompute dev release 2026.12.0
    """
    from pipeline.build import build
    from pipeline.config import load_lock, locked_snapshots
    from pipeline.publish.release import make_release, read_index
    from traincompute.published import VINTAGE

    if sum(map(bool, (version, as_of, vintages))) != 1:
        raise click.UsageError("give one of VERSION, --as-of and --vintages")
    if version and version.startswith(VINTAGE):
        raise click.UsageError("a vintage is made by --as-of DATE")
    paths = checkout()
    versions = [version or f"{VINTAGE}{as_of}"]
    if vintages:
        released = {entry["version"] for entry in read_index(paths.releases)["releases"]}
        days = locked_snapshots(load_lock(paths), VINTAGES_OF)[:-1]
        versions = [name for day in days if (name := f"{VINTAGE}{day}") not in released]
    for name in versions:
        click.echo(f"building {name}")
        folder = make_release(paths, name, build, **how)
        size = sum(file.stat().st_size for file in folder.iterdir())
        click.echo(f"released {name}: {folder} ({size / 1e6:.1f} MB)")
    if not versions:
        click.echo("every snapshot has its vintage")


@click.command()
@click.argument("which", metavar="[VERSION|FOLDER]", default="latest")
@index_option
@json_option
def rebuild(which: str, index: str | None, as_json: bool) -> None:
    """Rebuild a release on this machine from its commit, and compare the hashes of the Parquet and CSV files.

    The command verifies the release first. It does not compare the DuckDB file, because the bytes of that file
    differ from build to build. The exit code is 1 if anything else differs.

    Example: traincompute dev rebuild latest
    """
    from pipeline.publish.release import rebuild_problems
    from traincompute.published import verify_folder

    folder, listed = locate_release(which, index)
    listed = listed and listed._replace(may_be_unsigned=True)
    with waiting("building it again"):
        problems = verify_folder(folder, listed).problems or rebuild_problems(checkout(), folder)
    print_verdict(folder, problems, as_json, good=EQUAL)
