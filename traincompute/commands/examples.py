"""`traincompute examples`: questions about the dataset, each answered in SQL, pandas and R."""

from __future__ import annotations

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
    from traincompute.commands.sql import run_query
    from traincompute.examples.search import find_examples
    from traincompute.query.run import Options

    asked = " ".join(words).split()
    found = find_examples(asked)
    if not found:
        raise click.ClickException(f'no example is about "{" ".join(asked)}"; try one word, such as energy, or none')
    for example in found[:1] if asked else []:
        click.echo(f"{example.number}. {example.question}\n")
        click.echo(f"SQL     {example.sql}\npandas  {example.python}\nR       {example.r}\n")
        if run:
            run_query(dataset_folder(data), example.sql, "table", options=Options(human=True))
    for example in found[bool(asked) :]:
        click.echo(f"{example.number:4}  {example.section}: {example.question}")
