"""`traincompute cite`: how to cite the dataset at hand, or another release."""

from __future__ import annotations

import click

from traincompute.commands.options import version_option


@click.command()
@click.option("--bibtex", "style", flag_value="bibtex", help="Print BibTeX, an entry for the dataset and each source.")
@click.option("--csl", "style", flag_value="csl", help="Print CSL JSON, which reference managers import.")
@version_option
def cite(style: str | None, version: str | None) -> None:
    """Print how to cite the dataset at hand: its version, the hash that fixes every number, and the sources to be
    named.

    Example: traincompute cite --bibtex
    """
    from traincompute.citation import cite_as
    from traincompute.releases import resolve_version

    dataset = resolve_version(version)
    click.echo(cite_as(style or "text", dataset.edition(), dataset.sources()), nl=False)
