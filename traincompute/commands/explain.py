"""`traincompute explain`: where each number of a model comes from."""

from __future__ import annotations

import json
import os
import sys
from functools import partial

import click

from traincompute.commands.options import data_option, dataset_folder
from traincompute.show.table import clip, text_width


@click.command()
@click.argument("model")
@data_option
@click.option("--full", is_flag=True, help="Print everything, not twelve lines (as --json, --markdown do).")
@click.option("--field", metavar="NAME", help="Only this field, with every claim and the full reasons.")
@click.option("--json", "form", flag_value="json", help="Print everything as JSON.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown.")
def explain(model: str, data: str | None, full: bool, field: str | None, form: str | None) -> None:
    """Show where each number of MODEL comes from: who says so, who says otherwise, and what was computed.

    MODEL is an id, a name, an alias that a source uses, or the beginning of one.

    Example: traincompute explain gpt-3 --field training_compute_flop
    """
    from traincompute.database import open_database
    from traincompute.explain import words
    from traincompute.explain.collect import collect, one_field
    from traincompute.explain.lookup import find_model

    short = not (full or field or form)
    with open_database(dataset_folder(data)) as connection:
        model_id, note = find_model(connection, model)
        known = collect(connection, model_id) | {"note": note}
        chosen = one_field(connection, known, field) if field else None
    if form == "json":
        click.echo(json.dumps(chosen or known, default=str, ensure_ascii=False, indent=1))
        return
    sections = words.field_sections(known, chosen) if chosen else {} if short else words.sections(known)
    head = words.heading(known, whole=not short)
    if form == "markdown":
        click.echo(words.render_markdown(head, sections))
        return
    plain = not sys.stdout.isatty() or bool(os.environ.get("NO_COLOR"))
    bold = str if plain else partial(click.style, bold=True)
    width = text_width(piped=100)
    click.echo(words.render_text(head, sections, width, bold))
    for label, says in words.brief_lines(known) if short else []:
        click.echo(clip(f"  {label:<10}  {says}", width))
