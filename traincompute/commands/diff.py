"""`traincompute diff`: two releases, or a release and a build, against each other."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from traincompute.base.places import default_folder, processed_folder
from traincompute.commands.options import form_options, limit_option


@click.command()
@click.argument("old")
@click.argument("new", default="current")
@form_options("markdown", "json", "csv", json="Print JSON with every change.", csv="Print every change as CSV.")
@limit_option("Show at most N changes.", least=0, default=30, show_default=True)
def diff(old: str, new: str, form: str | None, limit: int) -> None:
    """Compare OLD with NEW: headline figures, models that came or went, cells that changed, and why.

    Each is a version (of `traincompute releases`, or latest) or a folder. NEW defaults to the dataset at hand. The exit
    code is 0 if all tables are equal, 1 if they differ.

    Example: traincompute diff current
    """
    from traincompute.comparison.compare import compare
    from traincompute.comparison.render import print_comparison
    from traincompute.releases import resolve_version

    at_hand = Path(default_folder() or processed_folder())
    sides = (at_hand if name == "current" else resolve_version(name).folder for name in (old, new))
    found = compare(*sides)
    print_comparison(found, form or "table", limit)
    sys.exit(not found.is_equal)
