"""`traincompute search`: models by a word of their name, another name, their developer, a paper or an arXiv id."""

from __future__ import annotations

import click

from traincompute.commands.options import data_option, dataset_folder, form_options, limit_option
from traincompute.commands.sql import run_query


@click.command()
@click.argument("text")
@limit_option("Show at most N models.", least=0, default=20, show_default=True)
@form_options("csv", "json")
@data_option
def search(text: str, limit: int, form: str | None, data: str | None) -> None:
    """Find models by TEXT: a name or part of one, a developer, an arXiv id, a DOI or a link, the likeliest first.

    Example: traincompute search "openai whisper"
    """
    from traincompute.names.resolve import SEARCH, folded
    from traincompute.query.run import Options

    query, asked = SEARCH.read_text(encoding="utf-8"), {"text": folded(text), "limit": limit}
    run_query(dataset_folder(data), query, form or "table", asked, Options(human=not form))
