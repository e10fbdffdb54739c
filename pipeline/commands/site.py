"""`traincompute site`: writes the explorer."""

from __future__ import annotations

import json
from pathlib import Path

import click

from pipeline.base.paths import checkout
from traincompute.commands.options import data_option, dataset_file
from traincompute.show.waiting import waiting


@click.command()
@click.option(
    "--to",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder to write to.  [default: data/processed/site]",
)
@data_option
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def site(folder: Path | None, data: str | None, as_json: bool) -> None:
    """Write a static folder for the browser: chart, filters, table, a page per model, and the docs.

    Nothing is fetched, neither now nor by the pages: open index.html from disk or copy the folder to any static host.


    Example: traincompute site --to public
    """
    from pipeline.present.site.write import write_site

    target = folder or checkout().processed / "site"
    with waiting("writing the pages"):
        written = write_site(dataset_file(data), target)
    if as_json:
        click.echo(json.dumps(written._asdict()))
        return
    click.echo(f"wrote {written.files} files, {written.bytes / 1e6:.1f} MB, to {target}")
    click.echo(f"first view {written.first_view_gzip_bytes / 1e6:.2f} MB compressed; open {target / 'index.html'}")
