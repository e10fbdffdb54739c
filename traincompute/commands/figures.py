"""`traincompute figures` where there is no checkout to draw them: writes those that came with the package."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from traincompute.base.places import CARRIED_FIGURES

FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.argument("names", nargs=-1)
@click.option("--to", type=FOLDER, metavar="DIR", default="figures", show_default=True, help="Write them below DIR.")
def figures(names: tuple[str, ...], to: Path) -> None:
    """Write the figures of the dataset in this package (or those that are named) as SVG. A checkout draws them anew,
    of its own build and as PNG, too.

    Example: traincompute figures training-compute --to .
    """
    carried = {file.stem: file for file in sorted(Path(CARRIED_FIGURES).glob("*.svg"))}
    if unknown := sorted(set(names) - carried.keys()):
        raise click.BadParameter(f"no figure {', '.join(unknown)}; there are {', '.join(carried)}", param_hint="NAMES")
    to.mkdir(parents=True, exist_ok=True)
    for name in names or carried:
        written = shutil.copyfile(carried[name], to / f"{name}.svg")
        click.echo(f"wrote {written} ({written.stat().st_size / 1000:.0f} kB)")
