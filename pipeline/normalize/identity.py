"""Names → model_id: the same NFC name means the same model; any other match or distinction is a line in
data/raw/curated/identities.csv. An id is the slug of the first known name and does not depend on anything later. A
source that only speaks of models makes none: a record of it that matches no name and has no line gets no id."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np
import pandas as pd

from pipeline.curated import NO_RECORD, Decision, decision_problem
from pipeline.errors import DataError
from pipeline.frames import is_in, iso_days
from pipeline.names import short_hash, slug
from pipeline.normalize.columns import row_codes


def default_ids(first_seen: Mapping[str, str]) -> dict[str, str]:
    """{record: id}, given the day on which each record was first seen. When slugs collide, the record seen first keeps
    the slug and later ones get a hash of their name appended: ids never depend on what comes later."""
    ids: dict[str, str] = {}
    taken: set[str] = set()
    for record in sorted(first_seen, key=lambda name: (first_seen[name], name)):
        base = slug(record)
        ids[record] = base if base not in taken else f"{base}-{short_hash(record)}"
        taken.add(ids[record])
    return ids


def resolve_models(
    records: pd.DataFrame, decisions: Iterable[Decision], where: str, speaking: Collection[str] = ()
) -> pd.DataFrame:
    """The rows of `records` (source_id, record, since) with their model_id. Dropped records have none (""), nor have
    those of `speaking` sources that are about no known model.

    Raises DataError for a decision about a record that no source has, or that names an id that no model has."""
    _, first, which = np.unique(row_codes(records, ["source_id", "record"]), return_index=True, return_inverse=True)
    pairs = records[["source_id", "record"]].iloc[first]
    making = records[~is_in(records["source_id"], list(speaking))]
    ids = default_ids(dict(iso_days(making.groupby("record")["since"].min())))
    decided = [d for d in decisions if d.relation not in NO_RECORD]
    _check_targets(list(decisions), ids, set(pairs["record"]), where)
    general = {d.alias: d.model_id for d in decided if not d.source_id}
    special = {(d.source_id, d.alias): d.model_id for d in decided if d.source_id}
    chosen = [
        special.get((s, r), general.get(r, ids.get(r, "")))
        for s, r in zip(pairs["source_id"], pairs["record"], strict=True)
    ]
    return records.assign(model_id=np.array(chosen, dtype=object)[which]).astype({"model_id": "str"})


def _check_targets(decisions: list[Decision], ids: Mapping[str, str], records: set[str], where: str) -> None:
    known = (
        set(ids.values())
        | {slug(record.split(" @ ")[0]) for record in ids if " @ " in record}
        | {d.model_id for d in decisions if d.relation == "split"}
    )
    faults = [
        decision_problem(where, d, "no source has a record of this name", "mend the spelling or remove the line")
        for d in decisions
        if d.needs_record and d.alias not in records
    ]
    faults += [
        decision_problem(where, d, f'no model has the id "{d.model_id}"', "use the slug of the model's first name")
        for d in decisions
        if d.model_id and d.model_id not in known
    ]
    if faults:
        raise DataError(faults)
