"""`traincompute audit`: values that contradict their own sources."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from typing import Any

import click

from pipeline.base.names import slug
from pipeline.base.paths import checkout
from pipeline.commands.options import AS_OF

SHOWN = 40  # rows of the table for people if no --limit is given


@click.command()
@AS_OF
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"At most so many findings.  [default: {SHOWN}; with --json all]",
)
@click.option("--model", "wanted", metavar="MODEL", help="Only this model (id or name).")
@click.option("--open", "only_open", is_flag=True, help="Leave out what corrections.yml deals with.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one list of findings.")
def audit(as_of: date | None, limit: int | None, wanted: str | None, only_open: bool, as_json: bool) -> None:
    """List values that contradict what their own sources state, worst first.

    Rank 1: off by a power of ten; 2: contradicts its note; 3: implausible; 4: the record; 5: only the note is wrong.

    Example: traincompute audit --as-of 2026-05-03 --limit 10
    """
    from pipeline.curate.audit import find
    from pipeline.normalize.stage import normalize_tables
    from pipeline.registry.context import load_context

    context = load_context(checkout())
    found = find(context, normalize_tables(context, as_of))
    if wanted:
        found = [f for f in found if wanted in (f["model_id"], f["name"]) or f["model_id"] == slug(wanted)]
    if only_open:
        found = [f for f in found if not f["correction"]]
    shown = found[: limit or (len(found) if as_json else SHOWN)]
    click.echo(json.dumps(shown, ensure_ascii=False, indent=1) if as_json else as_table(shown, len(found)))


def as_table(found: Sequence[dict[str, Any]], total: int) -> str:
    """The findings for people: one line of figures and one of evidence each."""
    lines = [f"{'rank':4} {'model':36} {'check':11} {'stated':>10} {'expected':>10} {'ratio':>8}"]
    for f in found:
        ratio = f"{f['ratio']:.3g}" if f["ratio"] else ""
        lines.append(
            f"{f['rank']:<4} {f['name'][:36]:36} {f['check']:11} {_cell(f['stated']):>10} {_cell(f['expected']):>10} {ratio:>8}"
        )
        lines.append(f"     {f['evidence']}" + (f" [dealt with: {f['correction']}]" if f["correction"] else ""))
    return "\n".join([*lines, f"{len(found)} of {total} findings"])


def _cell(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"
