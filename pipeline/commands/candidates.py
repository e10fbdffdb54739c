"""`traincompute curate candidates`: open models that the dataset lacks."""

from __future__ import annotations

import json
from pathlib import Path

import click

from pipeline.base.paths import checkout
from pipeline.options import FILE, json_option, limit_option
from traincompute.show.table import Column, print_table
from traincompute.show.values import human_text

TABLE = ("hub_id", "created", "parameters", "downloads")
NUMBERS = ("parameters", "downloads")


@click.command()
@click.argument("listing", required=False, type=FILE)
@click.option("--endpoint", default="https://huggingface.co", show_default=True, help="Address of the hub.")
@click.option(
    "--asked", type=click.IntRange(min=1), default=10_000, show_default=True, help="Models to ask the hub for."
)
@limit_option("Show at most N candidates.", default=40, show_default=True)
@json_option("Print JSON, one list of candidates.")
def candidates(listing: Path | None, endpoint: str, asked: int, limit: int, as_json: bool) -> None:
    """List open models on the Hugging Face Hub that the dataset lacks, the most downloaded first.

    LISTING is a file with one record of the hub's API per line; without it the hub is asked for its most downloaded
    models. Under each model is the command that adds it: fill in each …, and check the date. A model that does not
    belong here gets a line in data/raw/curated/declined.csv.

    Example: traincompute curate candidates --limit 10
    """
    from pipeline.curate.candidates import base_models, find_candidates, list_models, read_declined
    from traincompute.reader import match

    lines = listing.read_text(encoding="utf-8").splitlines() if listing else []
    records = base_models([json.loads(line) for line in lines] if listing else list_models(endpoint.rstrip("/"), asked))
    answers = match([record["id"] for record in records])
    is_known = dict(zip(answers["asked"], answers["model_id"].notna(), strict=True))
    found = find_candidates(records, is_known, read_declined(checkout()))[:limit]
    if as_json:
        click.echo(json.dumps([candidate._asdict() for candidate in found], ensure_ascii=False, indent=1))
        return
    cells = [[human_text(getattr(candidate, name)) for name in TABLE] for candidate in found]
    under = [f"    {candidate.add_fact}" for candidate in found]
    print_table([Column(name, name in NUMBERS) for name in TABLE], cells, under=under, complete="--json is complete")
