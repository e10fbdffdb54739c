"""Names → model_id: the same NFC name is the same model; every other equality or difference is a line in
data/raw/curated/identities.csv. An id is the slug of the first known name and depends on nothing later."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pipeline.columnar import row_codes
from pipeline.errors import DataError, Problem
from pipeline.names import short_hash, slug

if TYPE_CHECKING:
    import pandas as pd

RELATIONS = ("same", "renamed", "split", "distinct", "dropped")
HEADER = ["alias", "source_id", "relation", "model_id", "since", "reason"]


class Decision(NamedTuple):
    """One line of identities.csv: what `alias` (a record; of one source, or of all) stands for."""

    alias: str
    source_id: str
    relation: str
    model_id: str
    since: str
    reason: str
    line: int


def load_decisions(file: Path, where: str) -> list[Decision]:
    """The lines of identities.csv. Raises DataError for a wrong header, relation or a doubled alias."""
    with file.open(encoding="utf-8", newline="") as handle:
        reader = csv.reader(handle, strict=True)
        header = next(reader, [])
        rows = [(number, row) for number, row in enumerate(reader, 2) if row]
    if header != HEADER:
        raise DataError(
            [Problem(f"{where}:1", "", "", ",".join(header), "wrong header", f"it must be {','.join(HEADER)}")]
        )
    ragged = [
        Problem(
            f"{where}:{n}",
            row[0],
            "",
            "",
            f"{len(row)} cells",
            f"a line has {len(HEADER)} cells; quote a cell that holds a comma",
        )
        for n, row in rows
        if len(row) != len(HEADER)
    ]
    if ragged:
        raise DataError(ragged)
    decisions = [Decision(row[0], row[1], row[2], row[3], row[4], row[5], number) for number, row in rows]
    _check_decisions(decisions, where)
    return decisions


def _check_decisions(decisions: list[Decision], where: str) -> None:
    faults = [
        _problem(where, d, f'relation "{d.relation}" is not known', f"one of {', '.join(RELATIONS)}")
        for d in decisions
        if d.relation not in RELATIONS
    ]
    faults += [
        _problem(where, d, "model_id is missing", "give the id that the alias stands for")
        for d in decisions
        if d.relation != "dropped" and not d.model_id
    ]
    faults += [_problem(where, d, "reason is missing", "say what shows it") for d in decisions if not d.reason]
    seen: dict[tuple[str, str], int] = {}
    for decision in decisions:
        key = (decision.alias, decision.source_id)
        if decision.relation != "distinct" and seen.setdefault(key, decision.line) != decision.line:
            faults.append(_problem(where, decision, f"the alias stands in line {seen[key]} too", "keep one of the two"))
    if faults:
        raise DataError(faults)


def default_ids(first_seen: Mapping[str, str]) -> dict[str, str]:
    """{record: id} for records by the day on which each was first seen. Of records whose slugs collide the first
    one seen keeps the slug, a later one gets a hash of its name behind it: ids never depend on what comes later."""
    ids: dict[str, str] = {}
    taken: set[str] = set()
    for record in sorted(first_seen, key=lambda name: (first_seen[name], name)):
        base = slug(record)
        ids[record] = base if base not in taken else f"{base}-{short_hash(record)}"
        taken.add(ids[record])
    return ids


def resolve_models(records: pd.DataFrame, decisions: Iterable[Decision], where: str) -> pd.DataFrame:
    """The rows of `records` (source_id, record, since) with their model_id; dropped records have none ("").

    Raises DataError for a decision about a record that no source has, or one that names an id that no model has."""
    import numpy as np

    _, first, which = np.unique(row_codes(records, ["source_id", "record"]), return_index=True, return_inverse=True)
    pairs = records[["source_id", "record"]].iloc[first]
    first_seen = records.groupby("record")["since"].min().dt.strftime("%Y-%m-%d").to_dict()
    ids = default_ids(first_seen)
    decided = [d for d in decisions if d.relation != "distinct"]
    _check_targets(list(decisions), ids, where)
    general = {d.alias: d.model_id for d in decided if not d.source_id}
    special = {(d.source_id, d.alias): d.model_id for d in decided if d.source_id}
    chosen = [
        special.get((s, r), general.get(r, ids[r])) for s, r in zip(pairs["source_id"], pairs["record"], strict=True)
    ]
    return records.assign(model_id=np.array(chosen, dtype=object)[which]).astype({"model_id": "str"})


def _check_targets(decisions: list[Decision], ids: Mapping[str, str], where: str) -> None:
    known = (
        set(ids.values())
        | {slug(record.split(" @ ")[0]) for record in ids if " @ " in record}
        | {d.model_id for d in decisions if d.relation == "split"}
    )
    faults = [
        _problem(where, d, "no source has a record of this name", "mend the spelling or remove the line")
        for d in decisions
        if d.alias not in ids
    ]
    faults += [
        _problem(where, d, f'no model has the id "{d.model_id}"', "use the slug of the model's first name")
        for d in decisions
        if d.model_id and d.model_id not in known
    ]
    if faults:
        raise DataError(faults)


def _problem(where: str, decision: Decision, reason: str, remedy: str) -> Problem:
    return Problem(f"{where}:{decision.line}", decision.alias, "", "", reason, remedy)
