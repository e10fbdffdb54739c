"""The commands that read a dataset which is already there."""

from __future__ import annotations

import os
from pathlib import Path

import click


def dataset_file() -> Path:
    """The DuckDB file: $TRAINCOMPUTE_DATA, else data/processed of the checkout in use."""
    folder = os.environ.get("TRAINCOMPUTE_DATA")
    root = Path(os.environ.get("TRAINCOMPUTE_ROOT") or Path(__file__).resolve().parent.parent)
    path = (Path(folder) if folder else root / "data" / "processed") / "traincompute.duckdb"
    if not path.exists():
        raise click.ClickException(f"{path} does not exist; run `traincompute build` first")
    return path


@click.command()
@click.argument("query")
@click.option("--csv", "form", flag_value="csv", help="Print CSV.")
@click.option("--json", "form", flag_value="json", help="Print JSON, one list of rows.")
def sql(query: str, form: str | None) -> None:
    """Run QUERY, read-only, on the built dataset. Files, network and settings are out of its reach.

    Example: traincompute sql "select name, training_compute_flop from models order by 2 desc nulls last limit 5"
    """
    from traincompute.query import run_query

    run_query(dataset_file(), query, form or "table")
