"""`traincompute pull`: fetch sources and enter what they print into the ledger."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import click

from pipeline.base.paths import checkout
from traincompute.commands.options import as_date


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
    callback=lambda _c, _p, v: as_date(v),
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
    from pipeline.base.errors import DataError, SourceError
    from pipeline.pull.snapshot import Request, pull_source
    from pipeline.registry.sources import load_sources

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
