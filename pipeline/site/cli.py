"""The command that writes the site."""

from __future__ import annotations

import re
import webbrowser
from pathlib import Path

import click

from pipeline.paths import checkout
from traincompute.commands.options import FOLDER, data_option, dataset_folder
from traincompute.show.waiting import waiting

ADDRESS = r"https?://[^\s/?#<>\"']+(/[^\s?#<>\"']*)?"


def _with_slash(_: object, __: object, address: str | None) -> str:
    """The address with a / at its end, or "". Raises click.BadParameter for what is none of a site."""
    if address and not re.fullmatch(ADDRESS, address):
        raise click.BadParameter(f"expected an address such as https://example.org/traincompute, got {address!r}")
    return f"{address.rstrip('/')}/" if address else ""


@click.command()
@click.option("--to", "folder", type=FOLDER, metavar="DIR", help="Folder to write to.  [default: data/processed/site]")
@data_option
@click.option(
    "--address", metavar="URL", callback=_with_slash, help="Where the folder will stand: for the sitemap and previews."
)
@click.option("--open", "opens", is_flag=True, help="Open it in the browser.")
def site(folder: Path | None, data: str | None, address: str, opens: bool) -> None:
    """Write a static folder for the browser: explorer, SQL, figures, one page per model and other thing, API, docs.

    Nothing is fetched, neither now nor by the pages: open index.html from disk or copy the folder to any static host.

    Example: traincompute site --open
    """
    from pipeline.site.write import write_site

    target = folder or checkout().processed / "site"
    with waiting("writing the site") as say:
        written = write_site(Path(dataset_folder(data)), target, address, say)
    index = target.resolve() / "index.html"
    click.echo(f"wrote {written.files} files, {written.bytes / 1e6:.1f} MB; open {index}")
    if opens:
        webbrowser.open(index.as_uri())
