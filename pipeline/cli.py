"""The commands that build the dataset. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import click

from pipeline.paths import checkout
from traincompute.commands import DUCKDB_NAME

AS_OF = click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    callback=lambda _c, _p, value: _day(value),
    help="Build the dataset as it stood on that day.",
)


def _day(value: datetime | None) -> date | None:
    return value.date() if value else None


@click.command()
@AS_OF
@click.option("--force", is_flag=True, help="Build also where nothing has changed since the last build.")
def build(as_of: date | None, force: bool) -> None:
    """Build the dataset from the committed facts, offline: normalize, validate, impute, publish.

    Where code, schemas and facts are those of the build that is published, there is nothing to do.

    Example: traincompute build
    """
    from pipeline.fingerprint import inputs_digest, is_current

    start = time.perf_counter()
    paths = checkout()
    if not force and is_current(paths, inputs_digest(paths, as_of)):
        click.echo(f"up to date    {paths.processed}: nothing has changed since it was built (--force builds anew)")
        return
    from pipeline import build as steps

    made = steps.build(paths, as_of)
    for line in steps.summarize(steps.load_context(paths), made):
        click.echo(line)
    click.echo(f"published     {paths.processed} in {time.perf_counter() - start:.1f} s")


@click.command()
@AS_OF
def normalize(as_of: date | None) -> None:
    """Run stage 1 of build: read the facts of the vintage as typed claims, into data/processed/stages/.

    Example: traincompute normalize && traincompute validate && traincompute impute && traincompute publish
    """
    from pipeline import build as steps
    from pipeline import stages

    context = steps.load_context(checkout())
    made = steps.normalize_tables(context, as_of)
    stages.save(context, made, as_of)
    click.echo(
        f"normalized {len(made['claims'])} claims about {len(made['models'])} models, {len(made['quarantine'])} quarantined"
    )


@click.command()
def validate() -> None:
    """Run stage 2 of build: check the tables of data/processed/stages/ against their schemas.

    Example: traincompute validate
    """
    from pipeline import build as steps
    from pipeline import stages

    context = steps.load_context(checkout())
    made, _ = stages.load(context)
    steps.check_tables(context, made)
    steps.check_links(context, made)
    click.echo(f"validated {', '.join(sorted(made))}")


@click.command()
def impute() -> None:
    """Run stage 3 of build: estimate the training compute of models that lack a published value.

    Example: traincompute impute
    """
    from pipeline import build as steps
    from pipeline import stages

    context = steps.load_context(checkout())
    made, as_of = stages.load(context)
    made = steps.impute_tables(context, made)
    stages.save(context, made, as_of)
    click.echo(f"imputed {int((made['models']['training_compute_source'] == 'imputed').sum())} values")


@click.command()
def publish() -> None:
    """Run stage 4 of build: check once more and write Parquet, CSV, DuckDB and manifest below data/processed/.

    Example: traincompute publish
    """
    from pipeline import build as steps
    from pipeline import stages

    context = steps.load_context(checkout())
    made, as_of = stages.load(context)
    if "estimates" not in made:
        raise click.UsageError("there are no estimates yet; run `traincompute impute` first")
    steps.check_tables(context, made)
    steps.check_links(context, made)
    steps.publish_tables(context, made, as_of)
    click.echo(f"published {context.paths.processed}")


@click.command()
@click.argument("source", required=False)
@click.option("--mirror", metavar="URL", default="", help="Fetch URL/host/path instead of https://host/path.")
@click.option(
    "--file",
    "files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read a file on disk.",
)
@click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    callback=lambda _c, _p, v: _day(v),
    help="Enter the file as the snapshot of that day.",
)
@click.option("--update", is_flag=True, help="Accept a file that differs from the locked one.")
@click.option(
    "--strict", is_flag=True, help="Fail where a source cannot be fetched instead of keeping the last known good."
)
def pull(
    source: str | None, mirror: str, files: tuple[Path, ...], as_of: date | None, update: bool, strict: bool
) -> None:
    """Fetch SOURCE (or every source) and enter what it prints into the ledger below data/raw/.

    Example: traincompute pull epoch_notable --update
    """
    from pipeline.errors import DataError, SourceError
    from pipeline.pull import Request, pull_source
    from pipeline.sources import load_sources

    paths = checkout()
    sources = {name: entry for name, entry in load_sources(paths).items() if entry.urls}
    if source and source not in sources:
        raise click.BadParameter(f"no source {source!r}; there are {', '.join(sources)}", param_hint="SOURCE")
    if files and not source:
        raise click.UsageError("--file needs a SOURCE")
    request = Request(mirror, files, as_of, update, strict)
    failed: list[Any] = []
    for name in [source] if source else list(sources):
        try:
            pull_source(paths, sources[name], request, click.echo)
        except (DataError, SourceError) as error:
            failed.append(error)
    if failed:
        message, code = "\n".join(map(str, failed)), max(error.exit_code for error in failed)
        raise (
            SourceError(message)
            if code == SourceError.exit_code
            else DataError([p for e in failed for p in e.problems])
        )


@click.command()
@click.option("--check", is_flag=True, help="Only say whether the pages are current (exit code 1 if not).")
def docs(check: bool) -> None:
    """Write the generated pages of docs/ from the schemas, and the output of their queries from the built dataset.

    Example: traincompute docs
    """
    from pipeline.methoddoc import with_targets
    from pipeline.querydoc import with_output, with_transcript
    from pipeline.reproductions import reproductions
    from pipeline.schema import dictionary, load_schemas
    from pipeline.sourcedoc import sources_page

    paths = checkout()
    queries, transcript = paths.docs / "queries.md", paths.docs / "first-hour.md"
    database = paths.processed / DUCKDB_NAME
    pages: dict[str, Callable[[], str]] = {
        "data-dictionary.md": lambda: dictionary(load_schemas(paths)),
        "sources.md": lambda: sources_page(paths),
        "method.md": lambda: with_targets((paths.docs / "method.md").read_text(encoding="utf-8"), paths),
        "reproductions.md": lambda: reproductions(paths),
        "queries.md": lambda: with_output(queries.read_text(encoding="utf-8"), database),
        "first-hour.md": lambda: with_transcript(transcript.read_text(encoding="utf-8"), paths.root, paths.processed),
    }
    for name, make in pages.items():
        file, text = paths.docs / name, make()
        if check and (not file.exists() or file.read_text(encoding="utf-8") != text):
            raise click.ClickException(f"docs/{name} is not current; run `traincompute docs`")
        if not check:
            file.write_text(text, encoding="utf-8")
            click.echo(f"wrote docs/{name}")
