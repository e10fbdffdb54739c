"""`traincompute curate propose`: names that may be the same model, with the line to paste for each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from pipeline.base.paths import checkout
from pipeline.options import json_option

if TYPE_CHECKING:
    from pipeline.curate.propose import Candidate


@click.command()
@json_option("Print JSON, one list of candidates.")
def propose(as_json: bool) -> None:
    """List pairs of records that may be the same model, each with the lines for identities.csv that would decide it.

    Exit code 0: no pair is open. Exit code 1: some pairs are.

    Example: traincompute curate propose --json
    """
    from pipeline.curate.propose import find_candidates
    from pipeline.registry.context import load_context

    pairs = find_candidates(load_context(checkout()))
    click.echo(json.dumps([c._asdict() for c in pairs], ensure_ascii=False, indent=1) if as_json else as_text(pairs))
    if pairs:
        raise SystemExit(1)


def as_text(pairs: list[Candidate]) -> str:
    """The candidates for people: each pair, the evidence, and the two lines of which one decides it."""
    from pipeline.curate.propose import RULES

    blocks = [
        f"{c.rule} {c.score:.0f}  {c.records[0]}  |  {c.records[1]}\n    {RULES[c.rule]}: {c.evidence}\n"
        f"    if one:  {c.same}\n    if two:  {c.distinct}"
        for c in pairs
    ]
    todo = "; paste one line of each into data/raw/curated/identities.csv (a `distinct` line needs a reason)"
    return "\n".join([*blocks, f"{len(pairs)} open" + (todo if pairs else "")])
