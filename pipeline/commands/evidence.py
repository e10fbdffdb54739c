"""`traincompute curate evidence`: whether figures seen in public repositories stand where their permalinks lead."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from pipeline.base.paths import checkout
from pipeline.options import FOLDER, json_option, mirror_option
from traincompute.show.table import Column, print_table
from traincompute.show.waiting import waiting


@click.command()
@click.option("--snapshots", "folder", type=FOLDER, metavar="FOLDER", help="Copies of repositories, as OWNER/NAME.")
@click.option("--net", is_flag=True, help="Fetch from GitHub what the folder does not have.")
@mirror_option
@json_option("Print JSON: the findings, and what cannot be checked here.")
def evidence(folder: Path | None, net: bool, mirror: str, as_json: bool) -> None:
    """Look up each figure that was seen in a public repository.

    A fact whose text lies in a public repository cites it as
    https://github.com/OWNER/NAME/blob/COMMIT/PATH#L12 (or #L12-L15, or #page=3 of a PDF). Exit code 1 if a figure has
    moved or is not there; a repository that is not at hand is no fault.

    Example: traincompute curate evidence --net
    """
    from pipeline.curate.evidence import MOVED, NOT_THERE, check_evidence
    from pipeline.curate.snapshots import Snapshots

    if mirror and not net:
        raise click.UsageError("--mirror needs --net")
    with waiting("looking"):
        found = check_evidence(checkout(), Snapshots(folder, net, mirror))
    if as_json:
        findings = [finding._asdict() for finding in found.findings]
        click.echo(json.dumps({"findings": findings, "elsewhere": found.elsewhere}, ensure_ascii=False, indent=1))
    else:
        _print(found, net)
    if any(finding.outcome in (MOVED, NOT_THERE) for finding in found.findings):
        raise SystemExit(1)


def _print(found: Any, net: bool) -> None:
    from pipeline.curate.evidence import FOUND, NOT_AT_HAND, OUTCOMES, count_by_field

    counts = count_by_field(found.findings)
    counts["all"] = {outcome: sum(row[outcome] for row in counts.values()) for outcome in OUTCOMES}
    columns = [Column("field"), *(Column(outcome, is_number=True) for outcome in OUTCOMES)]
    print_table(columns, [[field, *map(str, row.values())] for field, row in counts.items()])
    for finding in found.findings:
        if finding.outcome != FOUND and (net or finding.outcome != NOT_AT_HAND):
            click.echo(_line(finding))
    away = sorted(
        {finding.reference.split("/blob/")[0] for finding in found.findings if finding.outcome == NOT_AT_HAND}
    )
    if away:
        click.echo(f"not at hand: {', '.join(away)}; give {'' if net else '--net, or '}copies with --snapshots")
    rest = ", ".join(f"{number} {kind}" for kind, number in found.elsewhere.items() if number)
    click.echo(f"not checkable here: {rest or 'nothing'}")


def _line(finding: Any) -> str:
    what = f"{finding.where} [{finding.record}] {finding.field} {finding.value_text}"
    return f"{what}: {finding.outcome} ({finding.detail}); {finding.reference}"
