"""`traincompute build`: the dataset from the committed facts, offline."""

from __future__ import annotations

import time
from datetime import date

import click

from pipeline.base.paths import checkout
from pipeline.commands.options import published_stays
from traincompute.commands.options import AS_OF
from traincompute.show.waiting import waiting


@click.command()
@AS_OF
@click.option("--force", is_flag=True, help="Build even if nothing has changed since the last build.")
@published_stays()
def build(as_of: date | None, force: bool) -> None:
    """Build the dataset from the committed facts, offline: normalize, validate, impute, publish.

    A vintage has a folder of its own, data/processed/vintage-DATE, for --data and load(); the newest build stays.

    If code, schemas and facts have not changed since the published build, there is nothing to do.

    Example: traincompute build
    """
    from pipeline.publish.fingerprint import is_current
    from pipeline.publish.swap import sweep_builds
    from traincompute.base.locks import sweep_litter

    start = time.perf_counter()
    paths = checkout().of(as_of)
    sweep_litter(paths.raw)
    if not force and is_current(paths, as_of):
        sweep_builds(paths.processed)
        click.echo(f"up to date    {paths.processed}: nothing has changed since it was built (--force builds anew)")
        return
    from pipeline import build as steps
    from pipeline.registry.context import load_context

    with waiting("building"):
        made = steps.build(paths, as_of)
    for line in steps.summarize(load_context(paths), made):
        click.echo(line)
    click.echo(f"published     {paths.processed} in {time.perf_counter() - start:.1f} s")
