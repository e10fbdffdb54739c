"""`traincompute dev docs`: write the generated pages of docs/, or say whether they are current."""

from __future__ import annotations

import click

from pipeline.base.paths import checkout
from traincompute.show.waiting import waiting


@click.command()
@click.option("--check", is_flag=True, help="Only say whether the pages are current (exit code 1 if not).")
def docs(check: bool) -> None:
    """Write the generated pages of docs/ from the schemas, and the output of their queries from the built dataset.

    Example: traincompute dev docs
    """
    from pipeline.present.docs.pages import pages

    paths = checkout()
    for name, make in pages(paths).items():
        with waiting(f"writing {name}"):
            file, text = paths.docs / name, make()
        if check and (not file.exists() or file.read_text(encoding="utf-8") != text):
            raise click.ClickException(f"docs/{name} is not current; run `traincompute dev docs`")
        if not check:
            file.write_text(text, encoding="utf-8")
            click.echo(f"wrote docs/{name}")
