"""`traincompute figures`: draws the figures of the built dataset."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from pipeline.base.paths import checkout
from pipeline.commands.options import FOLDER
from traincompute.commands.options import data_option, dataset_folder


@click.command()
@click.argument("names", nargs=-1)
@click.option(
    "--to", "folder", type=FOLDER, metavar="DIR", help="Write them below DIR  [default: data/processed/figures]"
)
@click.option("--svg", "svg_only", is_flag=True, help="Write no PNG.")
@click.option("--dpi", type=click.IntRange(72, 1200), default=300, show_default=True, help="Dots an inch of the PNG.")
@data_option
def figures(names: tuple[str, ...], folder: Path | None, svg_only: bool, dpi: int, data: str | None) -> None:
    """Draw the figures of the built dataset (or those that are named) as SVG and PNG, offline.

    The PNG are 6.25 inches wide. The pictures of docs/figures.md and of the README are
    `traincompute figures --svg --to docs/figures`.

    Example: traincompute figures training-compute --to /tmp/figures
    """
    _look_for_a_home()
    from pipeline.present.figures.data import Data
    from pipeline.present.figures.write import FIGURES, write_figure

    paths = replace(checkout(), output=Path(dataset_folder(data))) if data else checkout()
    if unknown := sorted(set(names) - set(FIGURES)):
        raise click.BadParameter(f"no figure {', '.join(unknown)}; there are {', '.join(FIGURES)}", param_hint="NAMES")
    drawn = Data(paths)
    for name in names or FIGURES:
        for file in write_figure(drawn, name, folder or paths.processed / "figures", 0 if svg_only else dpi):
            click.echo(f"wrote {paths.short(file.resolve())} ({file.stat().st_size / 1000:.0f} kB)")


def _look_for_a_home() -> None:
    """Raises click.ClickException for a user without a home, in which Altair looks for data sets when it is
    imported."""
    try:
        Path.home()
    except RuntimeError as error:
        raise click.ClickException("you have no home folder, which Altair asks for; set HOME to any folder") from error
