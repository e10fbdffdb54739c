"""What the gate found: lines for people, and a file beside the build for `curate status`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from pipeline.errors import DataError, Problem

FILE = ".findings.json"
SHOWN = 10  # listed lines that a build prints
WHOLE, ANY = "*", "*"  # as id: the column; as column: the record
ACCEPT = "accept a change by a line in data/raw/curated/waivers.csv, or correct it"
HELD = {
    "factor": "changed by more than a factor of 3",
    "spread": "moved by more than a third of the usual range of its column",
    "date": "moved by more than 90 days",
    "day_and_month": "day and month changed places",
    "organization": "another first organisation",
    "hardware": "other hardware",
    "flag": "no longer notable",
    "base": "another base model",
    "interval": "a new value beyond three times the published interval",
    "high": "a new value above 99 % of its column",
    "highest": "a new record above all values of its column",
    "column": "a fifth of the column moved by more than 10 %",
    "renamed": "a new record with the link or name of one that vanished or is no longer notable",
    "replaced": "vanished, and a new record has its link or name",
}
LISTED = {
    "high_record": "a new record above 99 % of its column",
    "appears": "a new value above 99 % of its column",
    "base_appears": "a base model where there was none",
    "country": "another country",
    "lost": "a value that is gone",
    "vanished": "a notable model that is gone",
    "same_link": "a new record with the link or name of another",
    "rows": "rows that are gone",
    "values": "values that are gone",
}
RULES = HELD | LISTED


class Finding(NamedTuple):
    """A cell that changed: table, key of the row ("*" for the whole column), column ("*" for the whole row), the rule,
    and the released and the new value as texts; `is_held` where the record is read as of the release."""

    table: str
    id: str
    column: str
    rule: str
    old: str = ""
    new: str = ""
    is_held: bool = False

    def __str__(self) -> str:
        change = f": {self.old or 'nothing'} → {self.new or 'nothing'}" if self.old or self.new else ""
        label = "held  " if self.is_held else "listed"
        return f"{label} {self.table} {self.id} {self.column}{change} ({RULES[self.rule]})"


def findings_lines(findings: Sequence[Finding], most: int | None = SHOWN) -> list[str]:
    """What the gate held, then what it lists, a line each; of what is listed only the first ones."""
    held, listed = ([str(finding) for finding in findings if finding.is_held is held] for held in (True, False))
    shown = listed[:most]
    more = [f"{len(listed) - len(shown)} more are listed by `traincompute curate status`"] if listed != shown else []
    return [*held, *shown, *more, *([f"to release    {ACCEPT}"] if findings else [])]


def check_listed(findings: Iterable[Finding]) -> None:
    """Raises DataError for changes that are not held and that no waiver accepts."""
    DataError.raise_any(
        Problem(f.table, f.id, f.column, f.new, RULES[f.rule], ACCEPT) for f in findings if not f.is_held
    )


def write_findings(findings: Sequence[Finding], idle: Sequence[str], folder: Path) -> None:
    """Notes beside a build what was found, and the waivers that applied to nothing."""
    (folder / FILE).write_text(json.dumps({"findings": findings, "idle": idle}), encoding="utf-8")


def read_findings(folder: Path) -> tuple[list[Finding], list[str]]:
    """What was found for the build in a folder, and the waivers that applied to nothing."""
    file = folder / FILE
    noted = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"findings": [], "idle": []}
    return [Finding(*finding) for finding in noted["findings"]], noted["idle"]
