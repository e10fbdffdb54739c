"""`traincompute diff`: two releases, or a release and a build, against each other."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from traincompute.commands.options import form_options, limit_option
from traincompute.releases import resolve_version
from traincompute.show.rows import Result, clip, print_rows, write

if TYPE_CHECKING:
    from traincompute.comparison import Comparison

Row = dict[str, Any]
FLOP = "training_compute_flop"
LARGE = 1e25  # FLOP, the threshold of the EU AI Act, article 51
# the columns people look for first; the rest follow by name
FIRST = (FLOP, "parameters", "training_tokens", "publication_date", "name")
CELLS = ("changed", "filled", "blanked")


@click.command()
@click.argument("old")
@click.argument("new", default="current")
@form_options("markdown", "json", "csv", json="Print JSON with every change.", csv="Print every change as CSV.")
@limit_option("Show at most N changes.", least=0, default=30, show_default=True)
def diff(old: str, new: str, form: str | None, limit: int) -> None:
    """Compare OLD with NEW: headline figures, added and removed models, changed cells, and the cause of each change.

    OLD and NEW can each be a version listed by `traincompute releases`, `latest`, a folder, or `current`. `current` is
    the dataset in use, and the default for NEW. The exit code is 0 if all tables are equal, and 1 if they differ.

    Example: traincompute diff latest
    """
    from traincompute.comparison import COLUMNS, compare

    found = compare(*(resolve_version(None if name == "current" else name).folder for name in (old, new)))
    if form == "csv":
        write(Result(COLUMNS, ([*row.values()] for row in found.changes)), form)
    elif form == "json":
        causes = Counter(row["cause"] for row in found.changes)
        click.echo(json.dumps(found._asdict() | {"causes": causes}, ensure_ascii=False, indent=1))
    else:
        click.echo(f"{found.old} -> {found.new}" + ("" if found.tables else ": no difference"))
        for title, rows in _sections(found, limit, is_full=form == "markdown") if found.tables else ():
            if rows:
                click.echo(f"\n**{title}**\n" if form else f"\n{title}")
                print_rows(rows, form or "table")
    sys.exit(bool(found.tables))


def _sections(found: Comparison, limit: int, is_full: bool) -> Iterator[tuple[str, list[Row]]]:
    """The titles and rows of what is printed. What is full is for somebody who has to agree to it: it begins with what
    came, went or changed of at least LARGE FLOP, and names all models that came or went, whatever the limit."""
    if is_full:

        def flop(row: Row) -> float:
            return max(float(row[side] or 0) for side in ("old", "new"))

        sized = sorted((row for row in found.changes if (row["column"] or FLOP) == FLOP), key=flop, reverse=True)
        large = [_shown(row) for row in sized if flop(row) >= LARGE]
        yield f"At least 1e25 FLOP: all {len(large)} models and values that came, went or changed", large
        for kind in ("model_added", "model_removed"):
            rows = [_shown(row) for row in sized if row["kind"] == kind]
            yield f"All {len(rows)}: {_words(kind)}", rows
    yield "Figures", found.headlines
    yield "Rows of tables that differ", found.tables
    causes = sorted(Counter((_words(row["kind"]), row["cause"]) for row in found.changes).items())
    yield "Models and cells by cause", [{"what": what, "cause": cause, "number": n} for (what, cause), n in causes]
    cells = Counter((row["column"], row["kind"]) for row in found.changes if row["kind"] in CELLS)
    columns = sorted({name for name, _ in cells})
    yield "Cells by column", [{"column": name, **{kind: cells[name, kind] for kind in CELLS}} for name in columns]
    rows = [_shown(row) for row in sorted(found.changes, key=_weight)[:limit]]
    yield f"Changes ({len(rows)} of {len(found.changes)}; --csv prints all of them)", rows


def _shown(row: Row) -> Row:
    old, new = ((row[side] or "").removesuffix(".0") for side in ("old", "new"))
    shown = {"model": row["name"], "what": row["column"] or _words(row["kind"]), "old": old, "new": new}
    return {name: clip(cell, 48) for name, cell in (shown | {"cause": row["cause"]}).items()}


def _words(kind: str) -> str:
    return kind.replace("_", " ") if kind.startswith("model") else f"cell {kind}"


def _weight(row: Row) -> tuple[int, bool, float]:
    """What orders changes: columns as in FIRST, the others last; in each, blanked cells, then the largest factor."""
    rank = FIRST.index(row["column"]) if row["column"] in FIRST else len(FIRST)
    ratio = row["ratio"] or 0
    return rank, row["kind"] != "blanked", -max(ratio, 1 / ratio) if ratio > 0 else 0
