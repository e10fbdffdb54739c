"""`traincompute curate audit`: values that contradict their own sources."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import click

from pipeline.base.names import slug
from pipeline.base.paths import checkout
from pipeline.options import json_option, limit_option
from traincompute.commands.options import AS_OF
from traincompute.show.table import Column, print_table
from traincompute.show.values import human_text
from traincompute.show.waiting import waiting

SHOWN = 40  # rows of the table for people if no --limit is given
COLUMNS = (
    *map(Column, ("rank", "model", "check")),
    *(Column(name, is_number=True) for name in ("stated", "expected", "ratio")),
)


@click.command()
@AS_OF
@limit_option(f"Show at most N findings.  [default: {SHOWN}; with --json all]")
@click.option("--model", "wanted", metavar="MODEL", help="Only this model (id or name).")
@click.option("--open", "only_open", is_flag=True, help="Leave out what corrections.yml deals with.")
@click.option("--gate", is_flag=True, help="Only what is open; exit code 1 if there is any.")
@json_option("Print JSON, one list of findings.")
def audit(
    as_of: date | None, limit: int | None, wanted: str | None, only_open: bool, gate: bool, as_json: bool
) -> None:
    """List values that contradict what their own sources state, worst first.

    Rank 1: off by a power of ten; 2: contradicts its note; 3: implausible; 4: the record; 5: only the note is wrong.

    Example: traincompute curate audit --as-of 2026-05-03 --limit 10
    """
    from pipeline.curate.audit import REMEDY, find
    from pipeline.normalize.stage import normalize_tables
    from pipeline.registry.context import load_context

    context = load_context(checkout())
    with waiting("looking"):
        findings = find(context, normalize_tables(context, as_of))
    if wanted:
        findings = [f for f in findings if wanted in (f["model_id"], f["name"]) or f["model_id"] == slug(wanted)]
    listed = [f for f in findings if not f["correction"]] if only_open or gate else findings
    if gate and not listed and not as_json:
        click.echo(f"nothing is open; all {len(findings)} findings are dealt with")
    else:
        _print(listed, limit, as_json)
    if gate and listed:
        click.echo(f"to do: {REMEDY}", err=True)
        raise SystemExit(1)


def _print(findings: list[dict[str, Any]], limit: int | None, as_json: bool) -> None:
    shown = findings[: limit or (len(findings) if as_json else SHOWN)]
    if as_json:
        click.echo(json.dumps(shown, ensure_ascii=False, indent=1))
        return
    print_table(COLUMNS, [_cells(f) for f in shown], under=[_evidence(f) for f in shown])
    click.echo(f"{len(shown)} of {len(findings)} findings")


def _cells(finding: dict[str, Any]) -> list[str]:
    figures = [human_text(finding[name]) for name in ("stated", "expected", "ratio")]
    return [str(finding["rank"]), finding["name"], finding["check"], *figures]


def _evidence(finding: dict[str, Any]) -> str:
    settled = f" [dealt with: {finding['correction']}]" if finding["correction"] else ""
    return f"      {finding['evidence']}{settled}"
