"""`traincompute figures`: draws the figures of the built dataset."""

from __future__ import annotations

from pathlib import Path

import click

from pipeline.base.paths import checkout
from pipeline.commands.options import FOLDER


@click.command()
@click.argument("names", nargs=-1)
@click.option(
    "--to", "folder", type=FOLDER, metavar="DIR", help="Write them below DIR  [default: data/processed/figures]"
)
@click.option("--svg", "svg_only", is_flag=True, help="Write no PNG.")
def figures(names: tuple[str, ...], folder: Path | None, svg_only: bool) -> None:
    """Draw the figures of the built dataset (or those that are named) as SVG and PNG, offline.

    The PNG are 6.25 inches wide at 300 dpi. The pictures of docs/figures.md and of the README are
    `traincompute figures --svg --to docs/figures`.

    Example: traincompute figures training-compute --to /tmp/figures
    """
    _look_for_a_home()
    from pipeline.present.figures.data import Data
    from pipeline.present.figures.write import FIGURES, write_figure

    paths = checkout()
    if unknown := sorted(set(names) - set(FIGURES)):
        raise click.BadParameter(f"no figure {', '.join(unknown)}; there are {', '.join(FIGURES)}", param_hint="NAMES")
    data = Data(paths)
    for name in names or FIGURES:
        for file in write_figure(data, name, folder or paths.processed / "figures", not svg_only):
            click.echo(f"wrote {paths.short(file.resolve())} ({file.stat().st_size / 1000:.0f} kB)")


def _look_for_a_home() -> None:
    """Raises click.ClickException for a user without a home, in which Altair looks for data sets when it is imported."""
    try:
        Path.home()
    except RuntimeError as error:
        raise click.ClickException("you have no home folder, which Altair asks for; set HOME to any folder") from error
