"""`traincompute site`: writes the explorer, and shows it in the browser."""

from __future__ import annotations

import json
import re
import threading
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipeline.base.paths import checkout
from pipeline.commands.options import FOLDER, json_option
from traincompute.base.places import DUCKDB_NAME
from traincompute.commands.options import data_option, dataset_folder
from traincompute.show.waiting import waiting

if TYPE_CHECKING:
    from pipeline.present.site.write import Written


def _ending(_: object, __: object, address: str | None) -> str:
    """The address with a / at its end, or "". Raises click.BadParameter for what is none of a site."""
    if address and not re.fullmatch(r"https?://[^\s/?#<>\"']+(/[^\s?#<>\"']*)?", address):
        raise click.BadParameter(f"{address!r} is no address such as https://example.org/traincompute")
    return f"{address.rstrip('/')}/" if address else ""


@click.command()
@click.option("--to", "folder", type=FOLDER, metavar="DIR", help="Folder to write to.  [default: data/processed/site]")
@data_option
@click.option(
    "--address", metavar="URL", callback=_ending, help="Where the folder will stand: for the sitemap and previews."
)
@click.option("--open", "opens", is_flag=True, help="Serve it on this machine and open the browser; Ctrl-C ends it.")
@json_option("Print what was written as JSON.")
def site(folder: Path | None, data: str | None, address: str, opens: bool, as_json: bool) -> None:
    """Write a static folder for the browser: explorer, pages of models and others, SQL, and the docs.

    Nothing is fetched, neither now nor by the pages: open index.html from disk or copy the folder to any static host.


    Example: traincompute site --open
    """
    from pipeline.present.site.write import write_site

    target = folder or checkout().processed / "site"
    with waiting("writing the site") as say:
        written = write_site(Path(dataset_folder(data)) / DUCKDB_NAME, target, address, say)
    click.echo(json.dumps(written._asdict()) if as_json else _told(written))
    if opens:
        _show(target)


def _told(written: Written) -> str:
    first = f"wrote {written.files} files, {written.bytes / 1e6:.1f} MB, to {written.folder}"
    index = Path(written.folder) / "index.html"
    return f"{first}\nfirst view {written.first_view_gzip_bytes / 1e6:.2f} MB compressed; open {index}"


def _show(folder: Path) -> None:
    """Serves the folder and opens the browser, until Ctrl-C."""
    from pipeline.present.site.serve import serving

    with serving(folder) as address, suppress(KeyboardInterrupt):
        click.echo(f"serving {address}; Ctrl-C ends it", err=True)
        webbrowser.open(address)
        threading.Event().wait()
