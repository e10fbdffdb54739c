"""`traincompute examples`: questions about the dataset, each answered in SQL, pandas and R."""

from __future__ import annotations

import itertools

import click

from traincompute.commands.options import data_option, dataset_folder
from traincompute.examples.search import Example, find_examples, read_examples


@click.command()
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.option("--run", is_flag=True, help="Print the answer, too.")
@data_option
def examples(words: tuple[str, ...], run: bool, data: str | None) -> None:
    """Show questions about the dataset with the line of SQL, pandas and R that answers each.

    Several WORDs must all be met; one number is the question of that number; without any, all questions are listed.

    Example: traincompute examples energy
    """
    asked = " ".join(words).split()
    found = find_examples(asked)
    if not found:
        remedy = "try one word, such as energy, country or H100, or none to list all"
        raise click.ClickException(
            f'none of the {len(read_examples())} examples is about "{" ".join(asked)}"; {remedy}'
        )
    if asked:
        _show(found[0], dataset_folder(data) if run else None)
    _list(found[1:] if asked else found)


def _show(example: Example, database: str | None) -> None:
    """The question and its answers; what it gives, where a dataset to ask is named."""
    click.echo(f"{example.number}. {example.question}\n")
    for language, line in (("SQL", example.sql), ("pandas", example.python), ("R", example.r)):
        click.echo(f"{language:8}{line}")
    if database:
        from traincompute.commands.sql import run_query
        from traincompute.query.run import Options

        click.echo()
        run_query(database, example.sql, "table", options=Options(human=True))


def _list(found: list[Example]) -> None:
    for section, some in itertools.groupby(found, key=lambda example: example.section):
        click.echo(f"\n{section}")
        for example in some:
            click.echo(f"{example.number:4}  {example.question}")
