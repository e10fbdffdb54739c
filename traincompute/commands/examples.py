"""`traincompute examples`: questions about the dataset, each answered in SQL, pandas and R."""

from __future__ import annotations

import itertools

import click

from traincompute.commands.options import data_option, dataset_folder


@click.command()
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.option("--run", is_flag=True, help="Print the answer, too.")
@data_option
def examples(words: tuple[str, ...], run: bool, data: str | None) -> None:
    """Show questions about the dataset with the line of SQL, pandas and R that answers each.

    Without a WORD all questions are listed. A question matches if it is about every WORD; a number shows that question.

    Example: traincompute examples energy
    """
    from traincompute.examples.search import find_examples

    asked = " ".join(words).split()
    found = find_examples(asked)
    if not found:
        remedy = "try one word, such as energy, country or H100, or none to list all"
        raise click.ClickException(f'no example is about "{" ".join(asked)}"; {remedy}')
    if asked:
        first = found.pop(0)
        click.echo(f"{first.number}. {first.question}\n")
        click.echo(f"SQL     {first.sql}\npandas  {first.python}\nR       {first.r}")
        if run:
            from traincompute.commands.sql import run_query
            from traincompute.query.run import Options

            click.echo()
            run_query(dataset_folder(data), first.sql, "table", options=Options(human=True))
    for section, some in itertools.groupby(found, key=lambda example: example.section):
        click.echo(f"\n{section}")
        for example in some:
            click.echo(f"{example.number:4}  {example.question}")
