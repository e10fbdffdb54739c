"""`traincompute pull`: fetch sources and enter what they print into the ledger."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import click

from pipeline.base.paths import Paths, checkout
from pipeline.commands.options import FILE, mirror_option
from traincompute.commands.options import as_of_option


@click.command()
@click.argument("source", required=False)
@mirror_option
@click.option("--file", "files", multiple=True, type=FILE, help="Read a file on disk.")
@as_of_option("Enter the file as the snapshot of that day.")
@click.option("--update", is_flag=True, help="Accept a file that differs from the locked one.")
@click.option(
    "--strict", is_flag=True, help="Fail if a source cannot be fetched, instead of keeping its last good snapshot."
)
@click.option(
    "--learn-limits",
    is_flag=True,
    help="Fetch nothing; set how much each column may change from how much it has changed.",
)
def pull(
    source: str | None,
    mirror: str,
    files: tuple[Path, ...],
    as_of: date | None,
    update: bool,
    strict: bool,
    learn_limits: bool,
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
    if learn_limits:
        _learn_limits(paths, [source] if source else list(sources))
        return
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


def _learn_limits(paths: Paths, names: list[str]) -> None:
    """Writes limits.csv of the sources with several snapshots, from their revisions so far."""
    from pipeline.base.whole_files import replace_file
    from pipeline.pull.ledger import read_ledger
    from pipeline.pull.revisions import learn, write_limits
    from pipeline.registry.limits import read_limits
    from pipeline.registry.sources import load_lock, locked_snapshots

    lock = load_lock(paths)
    for name in names:
        file, facts = (paths.raw / name / kind for kind in ("limits.csv", "facts.csv"))
        spans = read_ledger(facts.read_text(encoding="utf-8")) if facts.exists() else []
        learned = learn(spans, locked_snapshots(lock, name))
        known = read_limits(file, paths.short(file))
        if learned or known:
            replace_file(file, write_limits(learned, known))
            click.echo(f"{paths.short(file)}: {len(learned)} columns")
