"""Reads data/raw/curated/identities.csv: which names stand for the same model, and which do not."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pipeline.base.csvfile import read_rows
from pipeline.base.errors import DataError, Problem

RELATIONS = ("same", "renamed", "split", "distinct", "dropped")
HEADER = ["alias", "source_id", "relation", "model_id", "since", "reason"]


class Decision(NamedTuple):
    """One line of identities.csv: what `alias` (a record of one source, or of all) stands for."""

    alias: str
    source_id: str
    relation: str
    model_id: str
    since: str
    reason: str
    line: int


def load_decisions(file: Path, where: str) -> list[Decision]:
    """The lines of identities.csv. Raises DataError for a wrong header or relation, or for a duplicate alias."""
    decisions = [
        Decision(row[0], row[1], row[2], row[3], row[4], row[5], number)
        for number, row in read_rows(file, where, HEADER)
    ]
    _check_decisions(decisions, where)
    return decisions


def _check_decisions(decisions: list[Decision], where: str) -> None:
    faults = [
        decision_problem(where, d, f'unknown relation "{d.relation}"', f"use one of {', '.join(RELATIONS)}")
        for d in decisions
        if d.relation not in RELATIONS
    ]
    faults += [
        decision_problem(where, d, "model_id is missing", "give the id that the alias stands for")
        for d in decisions
        if d.relation != "dropped" and not d.model_id
    ]
    faults += [
        decision_problem(where, d, "reason is missing", "say what the evidence is") for d in decisions if not d.reason
    ]
    seen: dict[tuple[str, str], int] = {}
    for decision in decisions:
        key = (decision.alias, decision.source_id)
        if decision.relation != "distinct" and seen.setdefault(key, decision.line) != decision.line:
            faults.append(
                decision_problem(where, decision, f"the alias is also on line {seen[key]}", "keep one of the two")
            )
    if faults:
        raise DataError(faults)


def decision_problem(where: str, decision: Decision, reason: str, remedy: str) -> Problem:
    return Problem(f"{where}:{decision.line}", decision.alias, "", "", reason, remedy)
