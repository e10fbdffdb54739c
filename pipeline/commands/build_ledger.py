"""`traincompute dev build-ledger`: the whole build of a ledger that outgrows memory, or one machine."""

from __future__ import annotations

import os
from pathlib import Path

import click

from pipeline.commands.options import FOLDER

LEDGER = "Folder with the ledger: SOURCE/facts*.csv, each file small enough for memory."


@click.command(name="build-ledger")
@click.option("--ledger", type=FOLDER, required=True, metavar="FOLDER", help=LEDGER)
@click.option("--to", "target", type=FOLDER, required=True, metavar="FOLDER", help="Folder to publish into.")
@click.option(
    "--engine", type=click.Choice(["local", "spark"]), default="local", show_default=True, help="Where it runs."
)
@click.option("--master", default="local[2]", show_default=True, metavar="URL", help="Spark's master.")
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes on this machine.  [default: one per processor]"
)
@click.option(
    "--models", type=click.IntRange(min=1), default=18_000, show_default=True, metavar="N", help="Models in a chunk."
)
def build_ledger(ledger: Path, target: Path, engine: str, master: str, jobs: int | None, models: int) -> None:
    """Build a ledger that outgrows memory, in chunks of models, and publish it as Parquet, CSV and DuckDB.

    Each source of the ledger is a source of models that this checkout declares. The files are the same on both engines and
    with every size of a chunk. On a cluster, all machines must see both folders, this checkout and its Python packages.

    Left out: corrections, decisions about identity, and the table of names.

    Example: traincompute dev build-ledger --ledger data/cache/ledger --to data/cache/built --engine spark
    """
    from pipeline.base.paths import checkout
    from pipeline.scale.build import build, find_files
    from pipeline.scale.engine import Engine
    from traincompute.show.waiting import waiting

    def open_spark(scratch: Path) -> Engine:
        from pipeline.scale.spark import Spark

        return Spark(scratch, master)

    paths = checkout()
    files = find_files(paths, ledger)
    chosen, processes = open_spark if engine == "spark" else None, jobs or os.cpu_count() or 1
    with waiting("building"):
        build(paths, files, target.resolve(), jobs=processes, models=models, engine=chosen)
    click.echo(f"published     {target}")
