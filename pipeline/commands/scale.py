"""The commands for public models by the million: list a hub, and estimate on an engine that reads from disk."""

from __future__ import annotations

from pathlib import Path

import click

from pipeline.commands.options import FILE_OR_FOLDER, engine_options, limit_option
from traincompute.show.waiting import waiting


@click.command()
@click.option(
    "--to",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    help="File to write.",
)
@click.option("--endpoint", default="https://huggingface.co", show_default=True, help="Address of the hub.")
@limit_option("At most so many models.")
def hub(target: Path, endpoint: str, limit: int | None) -> None:
    """List the models of a public hub into a file, one JSON record per line. A listing that broke off goes on.

    $HF_TOKEN, where it is set, raises the hub's rate limit.

    Example: traincompute dev hub --to data/cache/hub.jsonl --limit 10000
    """
    import sys

    from pipeline.hub.hub_api import list_models

    def show(count: int) -> None:
        click.echo(f"\r{count:,} models", nl=False, err=True)

    count = list_models(target, endpoint.rstrip("/"), limit, show if sys.stderr.isatty() else lambda _: None)
    click.echo(f"listed {count:,} models into {target}")


@click.command()
@engine_options
@click.option(
    "--input", "source", type=FILE_OR_FOLDER, required=True, metavar="FILE", help="Listing to read, JSONL or Parquet."
)
@click.option(
    "--to",
    "--output",
    "target",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="Parquet to write.",
)
@click.option("--models", type=FILE_OR_FOLDER, metavar="FILE", help="models.parquet with the known compute.")
def scale(engine: str, master: str, memory: str, source: Path, target: Path, models: Path | None) -> None:
    """Estimate the training compute of the models of a listing and write them as hub_models, validated.

    Nothing is held in memory as a whole: DuckDB reads from disk, Spark spreads the work.

    Example: traincompute dev scale --input data/cache/hub.jsonl --to hub_models.parquet
    """
    from pipeline.base.paths import checkout
    from pipeline.hub.engine import open_engine
    from pipeline.hub.run import run

    paths = checkout()
    known = models or paths.processed / "models.parquet"
    if not known.exists():
        raise click.ClickException(f"{known} does not exist; run `traincompute build` first, or give --models")
    with waiting("estimating"):
        rows = run(open_engine(engine, master, memory), paths, source, known, target)
    click.echo(f"wrote {rows['rows']:,} models to {target}, {rows['estimated']:,} with an estimate")
