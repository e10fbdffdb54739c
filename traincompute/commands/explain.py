"""`traincompute explain`: where each number of a model comes from."""

from __future__ import annotations

import json
import textwrap

import click

from traincompute.commands.options import data_option, dataset_folder
from traincompute.show.rows import print_rows
from traincompute.show.table import clip, text_width


@click.command()
@click.argument("model")
@data_option
@click.option("--full", is_flag=True, help="Print all lines, not only the first twelve.")
@click.option("--field", metavar="NAME", help="Only this field, with every claim and the full reasons.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def explain(model: str, data: str | None, full: bool, field: str | None, as_json: bool) -> None:
    """Show where each number of MODEL comes from: who says so, who says otherwise, and what was computed.

    MODEL is an id, a name, an alias that a source uses, or the beginning of one.

    Example: traincompute explain gpt-3 --field training_compute_flop
    """
    from traincompute.database import open_database
    from traincompute.explain import words
    from traincompute.explain.collect import FLOP, collect, one_field
    from traincompute.explain.lookup import find_model

    with open_database(dataset_folder(data)) as connection:
        model_id, note = find_model(connection, model)
        known = collect(connection, model_id) | {"note": note}
        chosen = one_field(connection, known, field) if field else None
    if as_json:
        click.echo(json.dumps(chosen or known, default=str, ensure_ascii=False, indent=1))
        return
    width, is_brief = text_width(piped=100), not (full or chosen)

    def wrapped(text: str, first: str, indent: int) -> str:
        return textwrap.fill(text, width, initial_indent=first, subsequent_indent=" " * indent, break_on_hyphens=False)

    for line in words.heading(known):
        click.echo(wrapped(line, "", 2))
    about = words.brief_lines(known) if not chosen or chosen["field"] == FLOP else []
    for label, says in about + (words.likely(known) if about and not is_brief else []):
        first = f"  {label:<10}  "
        click.echo(clip(first + says, width) if is_brief else wrapped(says, first, len(first)))
    for title, table in ({} if is_brief else words.sections(known, chosen)).items():
        if table:
            click.echo(f"\n{title}")
            print_rows([row for row, _ in table], indent="  ", below=[wrapped(text, "    ", 4) for _, text in table])
