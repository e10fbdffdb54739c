"""The commands that show the dataset: figures, site and the generated pages of docs."""

from __future__ import annotations

import re
import webbrowser
from importlib.util import find_spec
from pathlib import Path

import click

from pipeline.paths import checkout
from traincompute.base.files import read_json
from traincompute.base.places import MANIFEST
from traincompute.cli import REMEDY
from traincompute.commands.options import dataset_folder, version_option
from traincompute.show.terminal import waiting

ADDRESS = r"https?://[^\s/?#<>\"']+(/[^\s?#<>\"']*)?"
FOLDER = click.Path(file_okay=False, path_type=Path)  # to write into


@click.command()
@click.argument("names", nargs=-1)
@click.option(
    "--to", "folder", type=FOLDER, metavar="DIR", help="Folder to write to.  [default: data/processed/figures]"
)
@click.option("--svg", "svg_only", is_flag=True, help="Write only SVG files.")
@click.option("--dpi", type=click.IntRange(72, 1200), default=300, show_default=True, help="Dots per inch for PNG.")
@version_option
def figures(names: tuple[str, ...], folder: Path | None, svg_only: bool, dpi: int, version: str | None) -> None:
    """Draw all figures, or only the figures in NAMES, and write SVG, PNG, CSV and Vega-Lite files.

    The PNG files are 6.25 inches wide. `traincompute figures --svg --to docs/figures` draws the figures for the docs
    and the README.

    Example: traincompute figures training-compute --to /tmp/figures
    """
    from pipeline.site.figures import ORDER, draw, read_figure
    from traincompute.database import open_database

    if unknown := sorted(set(names) - set(ORDER)):
        raise click.BadParameter(f"no figure {', '.join(unknown)}; choose from {', '.join(ORDER)}", param_hint="NAMES")
    paths, dataset = checkout(), Path(dataset_folder(version))
    manifest = read_json(dataset / MANIFEST)
    with open_database(dataset) as connection:
        for name in names or ORDER:
            figure = read_figure(name, connection, manifest)
            for file in draw(figure, folder or paths.processed / "figures", dpi, svg_only):
                click.echo(f"wrote {paths.short(file.resolve())} ({file.stat().st_size / 1000:.0f} kB)")


def _with_slash(_: object, __: object, address: str | None) -> str:
    """The address with a / at its end, or "". Raises click.BadParameter for what is none of a site."""
    if address and not re.fullmatch(ADDRESS, address):
        raise click.BadParameter(f"expected an address such as https://example.org/traincompute, got {address!r}")
    return f"{address.rstrip('/')}/" if address else ""


@click.command()
@click.option("--to", "folder", type=FOLDER, metavar="DIR", help="Folder to write to.  [default: data/processed/site]")
@version_option
@click.option(
    "--address", metavar="URL", callback=_with_slash, help="URL of the published site, for the sitemap and previews."
)
@click.option("--open", "opens", is_flag=True, help="Open the site in the browser.")
def site(folder: Path | None, version: str | None, address: str, opens: bool) -> None:
    """Write the site as a folder of static files: explorer, SQL, figures, API, docs, and a page for each model,
    organisation, country, chip and source.

    Neither the command nor the site needs a network. Open index.html from disk, or copy the folder to a static host.

    Example: traincompute site --open
    """
    from pipeline.site.write import write_site

    target = folder or checkout().processed / "site"
    with waiting("writing the site") as say:
        written = write_site(Path(dataset_folder(version)), target, address, say)
    index = target.resolve() / "index.html"
    click.echo(f"wrote {written.files} files, {written.bytes / 1e6:.1f} MB; open {index}")
    if not (find_spec("mkdocs") and find_spec("vl_convert")):
        click.echo(f"left out figures and docs, because the extra site is not installed: {REMEDY}", err=True)
    if opens:
        webbrowser.open(index.as_uri())


@click.command()
@click.option("--check", is_flag=True, help="Only check whether the pages are current; exit with code 1 if not.")
def docs(check: bool) -> None:
    """Run the queries, commands and code in README.md and docs/, and write the output of each below it.

    Example: traincompute dev docs
    """
    from pipeline.site.printed import pages, renewed

    paths = checkout()
    for file, text in pages(paths).items():
        with waiting(f"running what {file.name} prints"):
            current = renewed(text, paths.short(file), paths)
        if current != file.read_text(encoding="utf-8"):
            if check:
                raise click.ClickException(f"{paths.short(file)} is not current; run `traincompute dev docs`")
            file.write_text(current, encoding="utf-8")
            click.echo(f"wrote {paths.short(file)}")
