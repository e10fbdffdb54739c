"""`traincompute search`: models by a word of their name, another name, their developer, a paper or an arXiv id."""

from __future__ import annotations

import click

from traincompute.commands.options import data_option, dataset_folder
from traincompute.commands.sql import run_query


@click.command()
@click.argument("text")
@data_option
@click.option(
    "--limit", type=click.IntRange(min=0), metavar="N", default=20, show_default=True, help="Show at most N models."
)
@click.option("--csv", "form", flag_value="csv", help="Print CSV.")
@click.option("--json", "form", flag_value="json", help="Print JSON, one list of rows.")
def search(text: str, data: str | None, limit: int, form: str | None) -> None:
    """Find models by TEXT: a name or part of one, a developer, an arXiv id, a DOI or a link, the likeliest first.

    Example: traincompute search "openai whisper"
    """
    from traincompute.names.resolve import SEARCH, folded
    from traincompute.query.run import Options

    query, asked = SEARCH.read_text(encoding="utf-8"), {"text": folded(text), "limit": limit}
    run_query(dataset_folder(data), query, form or "table", asked, Options(human=not form))
