"""Reads data/raw/curated/identities.csv: which names stand for the same model, and which do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pipeline.base.csvfile import read_rows
from pipeline.base.errors import DataError, Problem

RELATIONS = ("same", "renamed", "split", "distinct", "dropped", "called")
NO_RECORD = ("distinct", "called")  # relations that say nothing of whose row a record is
HEADER = ["alias", "source_id", "relation", "model_id", "since", "reason"]


class Decision(NamedTuple):
    """One line of identities.csv: what `alias` (a record of one source, or of all) stands for; of the relation `called`
    a name in use, and of `distinct` a record or an address on a hub."""

    alias: str
    source_id: str
    relation: str
    model_id: str
    since: str
    reason: str
    line: int

    @property
    def needs_record(self) -> bool:
        return self.relation != "called" and not (self.relation == "distinct" and "/" in self.alias)


def load_decisions(file: Path, where: str) -> list[Decision]:
    """The lines of identities.csv. Raises DataError for a wrong header or relation, or for a duplicate alias."""
    rows = read_rows(file, where, HEADER)
    decisions = [Decision(**dict(zip(HEADER, row, strict=True)), line=number) for number, row in rows]
    seen: dict[tuple[str, str], int] = {}
    DataError.raise_any(decision_problem(where, d, *fault) for d in decisions for fault in _faults(d, seen))
    return decisions


def _faults(decision: Decision, seen: dict[tuple[str, str], int]) -> Iterator[tuple[str, str]]:
    """Reason and remedy of what is wrong with a line; `seen` has the lines of the aliases before it."""
    if decision.relation not in RELATIONS:
        yield f'unknown relation "{decision.relation}"', f"use one of {', '.join(RELATIONS)}"
    if decision.relation != "dropped" and not decision.model_id:
        yield "model_id is missing", "give the id that the alias stands for"
    if not decision.reason:
        yield "reason is missing", "say what the evidence is"
    line = (
        seen.setdefault((decision.alias, decision.source_id), decision.line) if decision.relation != "distinct" else 0
    )
    if line not in (0, decision.line):
        yield f"the alias is also on line {line}", "keep one of the two"


def decision_problem(where: str, decision: Decision, reason: str, remedy: str) -> Problem:
    return Problem(f"{where}:{decision.line}", decision.alias, "", "", reason, remedy)
