"""`traincompute dev discover`: models of a public hub that the dataset lacks, with the line to start from for each."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipeline.base.paths import checkout
from pipeline.commands.options import FILE_OR_FOLDER, engine_options, limit_option
from traincompute.show.rows import Result, write
from traincompute.show.table import Column, markdown_lines, print_table
from traincompute.show.values import human_text
from traincompute.show.waiting import waiting

if TYPE_CHECKING:
    from pipeline.hub.candidates import Candidate

SHOWN = 40  # candidates in the table for people if no --limit is given
LARGE = 1e9  # parameters of a model of an account that the dataset does not know
TYPES = {
    "name": "VARCHAR",
    "organization": "VARCHAR",
    "parameters": "DOUBLE",
    "created": "DATE",
    "downloads": "BIGINT",
    "needs": "VARCHAR",
    "expected_flop": "DOUBLE",
    "alike": "VARCHAR[]",
    "variants": "VARCHAR[]",
    "hub_id": "VARCHAR",
    "add_fact": "VARCHAR",
}
NUMBERS = ("parameters", "downloads", "expected_flop")
TABLE = ("hub_id", "organization", "parameters", "created", "downloads", "expected_flop", "needs")
MARKDOWN = (*TABLE, "alike")


@click.command()
@click.argument("listing", required=False, type=FILE_OR_FOLDER)
@engine_options
@click.option(
    "--large",
    type=click.FloatRange(min=0, min_open=True),
    default=LARGE,
    show_default="1e9",
    metavar="N",
    help="Least parameters of a model of an organization that the dataset does not know.",
)
@limit_option(f"Show at most N candidates.  [default: {SHOWN}; with --csv, --json, --markdown all]")
@click.option("--csv", "form", flag_value="csv", help="Print CSV.")
@click.option("--json", "form", flag_value="json", help="Print JSON, one list of candidates.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown: a table, and the lines to start from.")
@click.option("--decline", metavar="HUB_ID", help="Remember that this model is not wanted; no LISTING is read.")
@click.option("--reason", metavar="TEXT", help="Why it is not wanted.")
def discover(
    listing: Path | None,
    engine: str,
    master: str,
    memory: str,
    large: float,
    limit: int | None,
    form: str | None,
    decline: str | None,
    reason: str | None,
) -> None:
    """List base models of LISTING that the dataset lacks, the largest expected compute first.

    LISTING is what `traincompute dev hub --to data/cache/hub.jsonl` writes, JSONL or Parquet; without it, that file.
    Expected compute takes 6·N·D with the tokens that are usual in the domain; `needs` is the field that would settle it.
    Under each model is the line to start from: fill in each …, and check the date.

    With --decline and --reason, a model is left out from now on.

    Example: traincompute dev discover --limit 10
    """
    if decline or reason:
        _decline(listing, decline, reason)
        return
    listing = listing or checkout().cache / "hub.jsonl"
    if not listing.exists():
        raise click.UsageError(f"{listing} does not exist; `traincompute dev hub --to data/cache/hub.jsonl` writes it")

    from pipeline.hub.discover import discover as find
    from pipeline.hub.engine import open_engine

    with waiting("reading the listing"):
        candidates = find(open_engine(engine, master, memory), checkout(), listing, large)
    _show(candidates[: limit or (len(candidates) if form else SHOWN)], len(candidates), form)


def _decline(listing: Path | None, hub_id: str | None, reason: str | None) -> None:
    from pipeline.hub.declined import decline

    if listing or not (hub_id and reason):
        raise click.UsageError('--decline and --reason go together and without LISTING: --decline A/B --reason "…"')
    paths = checkout()
    decline(paths, hub_id, reason, date.today())
    click.echo(f"{paths.short(paths.declined)}: {hub_id} is declined")


def _show(shown: list[Candidate], total: int, form: str | None) -> None:
    if form == "markdown":
        _print_markdown(shown, total)
    elif form:
        write(Result(list(TYPES), list(TYPES.values()), iter([shown])), form)
    else:
        lines = [f"    {candidate.add_fact}" for candidate in shown]
        print_table(_columns(TABLE), _cells(shown, TABLE), under=lines, complete="--csv and --json are complete")
        click.echo(f"{len(shown)} of {total} candidates")


def _print_markdown(shown: list[Candidate], total: int) -> None:
    """A table, and the lines to start from in a block of their own that can be folded."""
    click.echo(
        f"{len(shown)} of {total} models of the hub that the dataset lacks, the largest expected compute first.\n"
    )
    for line in markdown_lines(_columns(MARKDOWN), _cells(shown, MARKDOWN)):
        click.echo(line)
    lines = [f"    {candidate.add_fact}" for candidate in shown]
    click.echo("\n".join(["", "<details><summary>Lines to start from</summary>", "", *lines, "", "</details>"]))


def _columns(names: tuple[str, ...]) -> list[Column]:
    return [Column(name, name in NUMBERS) for name in names]


def _cells(shown: list[Candidate], names: tuple[str, ...]) -> list[list[str]]:
    return [[human_text(getattr(candidate, name)) for name in names] for candidate in shown]
