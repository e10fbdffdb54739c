"""`traincompute figures` where there is no checkout to draw them: writes those that came with the package."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from traincompute.base.places import CARRIED_FIGURES


@click.command()
@click.argument("names", type=click.Choice(sorted(file.stem for file in Path(CARRIED_FIGURES).glob("*.svg"))), nargs=-1)
@click.option("--to", type=click.Path(path_type=Path), metavar="DIR", default="figures", help="Write them below DIR.")
def figures(names: tuple[str, ...], to: Path) -> None:
    """Write the figures of the dataset in this package (or those that are named) as SVG.

    Example: traincompute figures --to .
    """
    to.mkdir(parents=True, exist_ok=True)
    for file in sorted(Path(CARRIED_FIGURES).glob("*.svg")):
        if file.stem in (names or [file.stem]):
            click.echo(f"wrote {shutil.copyfile(file, to / file.name)}")
