"""What sources changed between consecutive snapshots, from the spans of the ledger: every start and every end of a
span is an event; an end and a start of the same field on the same day are one change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from itertools import pairwise

import numpy as np
import pandas as pd

from pipeline.base.columnar import iso_days, mapped, row_codes
from pipeline.normalize.readings import with_readings
from pipeline.registry.frames import conform
from pipeline.registry.identities import Decision
from pipeline.registry.schema import TableSchema

CELL = ["source_id", "model_id", "field", "to_snapshot"]
SPAN = ["source_id", "model_id", "record", "field", "value_text", "since", "until", "text"]
STATE = ["value_text", "value", "code", "unit", "record"]
EVENT = ["cell", "to_snapshot"]


def make_revisions(
    ledger: pd.DataFrame,
    readings: pd.DataFrame,
    snapshots: Mapping[str, list[date]],
    decisions: Iterable[Decision],
    table: TableSchema,
    columns: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """The revisions table of the newest vintage, from the facts of the whole ledger, what their texts say and the
    snapshots of each source. `columns` are those of the ledger (`columns_of`), for whoever has only part of its facts.

    Only plain columns count: fragments of notes change with their notes."""
    plain = ledger.loc[(ledger["locator"] == "") & (ledger["model_id"].fillna("") != ""), SPAN]
    before = _predecessors(snapshots)
    cells = _changes(plain, readings, before).merge(before, on=["source_id", "to_snapshot"], how="inner")
    columns = columns_of(plain) if columns is None else columns
    kinds = _kinds(_drop_same(_drop_column_changes(cells, columns)), plain)
    kinds = kinds.assign(kind=_mark_splits(kinds, decisions))
    day = iso_days(kinds["to_snapshot"])
    return conform(
        kinds.assign(
            revision_id=kinds["source_id"] + ":" + kinds["model_id"] + ":" + kinds["field"] + ":" + day,
            ratio=kinds["new_value"] / kinds["old_value"],
        ),
        table,
    )


def known_on(revisions: pd.DataFrame, as_of: date | None) -> pd.DataFrame:
    """The revisions table of a vintage: none depends on what came after it."""
    if as_of is None:
        return revisions
    return revisions[revisions["to_snapshot"] <= pd.Timestamp(as_of)].reset_index(drop=True)


def _predecessors(snapshots: Mapping[str, list[date]]) -> pd.DataFrame:
    """source_id, to_snapshot, from_snapshot for every snapshot of a source but the first."""
    pairs = [(name, *pair) for name, days in snapshots.items() for pair in pairwise(sorted(days))]
    frame = pd.DataFrame(pairs, columns=["source_id", "from_snapshot", "to_snapshot"])
    return frame.astype({"source_id": "str", "from_snapshot": "datetime64[s]", "to_snapshot": "datetime64[s]"})


def _changes(plain: pd.DataFrame, readings: pd.DataFrame, before: pd.DataFrame) -> pd.DataFrame:
    """One row per cell and day on which a span ends (old_*), starts (new_*), or both; the contents of a source's first
    snapshot are not changes."""
    first = before.groupby("source_id")["from_snapshot"].min().to_dict()
    ended, later = plain["until"].notna(), plain["since"] > mapped(plain["source_id"], first, "datetime64[s]")
    changed = plain[ended | later]  # most facts stand from the first snapshot to the last
    changed = changed.assign(cell=row_codes(changed, CELL[:3]))
    old = _events(changed[ended[changed.index]], "until", readings).add_prefix("old_")
    new = _events(changed[later[changed.index]], "since", readings).add_prefix("new_")
    events = old.join(new, how="outer").reset_index()
    cells = changed.drop_duplicates("cell").set_index("cell")[CELL[:3]]
    return events.join(cells, on="cell").drop(columns="cell")


def _events(spans: pd.DataFrame, day: str, readings: pd.DataFrame) -> pd.DataFrame:
    """What the spans say, by cell and the day on which they start or end; for duplicate records, the first by name."""
    events = spans.rename(columns={day: "to_snapshot"})
    doubled = events.duplicated(EVENT, keep=False)
    named = events[doubled].sort_values(["record", "value_text"], kind="stable").drop_duplicates(EVENT)
    first = pd.concat([events[~doubled], named])
    return with_readings(first, readings[["value", "code", "unit"]]).set_index(EVENT)[STATE]


def _drop_same(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells without those whose value is only spelled differently (names excepted: a new name is a rename)."""
    both = cells["old_value_text"].notna() & cells["new_value_text"].notna()
    numbers = cells["old_value"].notna() & cells["new_value"].notna()
    same = (numbers & (cells["old_value"] == cells["new_value"])) | (
        ~numbers & (cells["old_code"] == cells["new_code"]) & (cells["old_code"] != "")
    )
    return cells[~(both & same)]


def columns_of(plain: pd.DataFrame) -> pd.DataFrame:
    """When each column of a source had cells, from the spans of plain facts: by source_id and field, the first day, the
    last end, the number of spans that ended, and of all."""
    return plain.groupby(["source_id", "field"]).agg(
        first=("since", "min"), last=("until", "max"), ended=("until", "count"), spans=("since", "count")
    )


def _drop_column_changes(cells: pd.DataFrame, columns: pd.DataFrame) -> pd.DataFrame:
    """The cells without those of a field that the source has for no record at all before or after the snapshot."""
    seen = cells.join(columns, on=["source_id", "field"])
    gone = (seen["ended"] == seen["spans"]) & (seen["last"] <= seen["to_snapshot"])
    return cells[(seen["first"] < seen["to_snapshot"]) & ~gone]


def _kinds(cells: pd.DataFrame, plain: pd.DataFrame) -> pd.DataFrame:
    """The cells with their kind; for a record that was added or removed, only the row about its name is kept."""
    names = plain.loc[plain["field"] == "name", ["source_id", "model_id", "since", "until"]]
    keyed = cells.reset_index(names="cell")[["cell", *CELL, "from_snapshot"]]
    spans = keyed.merge(names, on=["source_id", "model_id"], how="left")
    present = {
        when: set(spans.loc[(spans["since"] <= spans[day]) & ~(spans["until"] <= spans[day]), "cell"])
        for when, day in (("before", "from_snapshot"), ("after", "to_snapshot"))
    }
    before, after = cells.index.isin(present["before"]), cells.index.isin(present["after"])
    is_name = cells["field"] == "name"
    gone, came = cells["new_value_text"].isna(), cells["old_value_text"].isna()
    conditions = [is_name & ~before, is_name & ~after, is_name, gone & after, came & before, ~gone & ~came]
    kinds = ["record_added", "record_removed", "renamed", "blanked", "filled", "value_changed"]
    record = cells["new_record"].fillna(cells["old_record"])
    known = cells.assign(
        kind=np.select(conditions, kinds, default=""),
        record=record,
        unit=cells["new_unit"].fillna(cells["old_unit"]),
        old_text=cells["old_value_text"],
        new_text=cells["new_value_text"],
    )
    return known[(known["kind"] != "") & (is_name | (before & after))]


def _mark_splits(kinds: pd.DataFrame, decisions: Iterable[Decision]) -> pd.Series:
    """The kinds, where an added record that identities.csv calls part of an older one becomes a split."""
    parts = {decision.alias for decision in decisions if decision.relation == "split"}
    return kinds["kind"].mask((kinds["kind"] == "record_added") & kinds["record"].isin(parts), "split")
