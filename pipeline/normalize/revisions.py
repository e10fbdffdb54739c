"""What sources changed between consecutive snapshots, from the spans of the ledger: every start and every end of a
span is an event; an end and a start of the same field on the same day are one change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from itertools import pairwise

import numpy as np
import pandas as pd

from pipeline.curated import Decision
from pipeline.frames import conform, iso_days, mapped
from pipeline.normalize.columns import joined, row_codes
from pipeline.normalize.withdrawn import is_about_a_model
from pipeline.schema import TableSchema

CELL = ["source_id", "model_id", "field", "to_snapshot"]
SPAN = ["source_id", "model_id", "record", "field", "value_text", "since", "until", "text"]
STATE = ["value_text", "value", "code", "unit", "record"]
DAYS = 100_000  # more than have passed since 1970


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
    plain = ledger.loc[(ledger["locator"] == "") & is_about_a_model(ledger), SPAN]
    before = _predecessors(snapshots)
    cells = joined(_changes(plain, before), before, ["source_id", "to_snapshot"])
    columns = columns_of(plain) if columns is None else columns
    said = _with_states(_drop_column_changes(cells, columns), plain, readings)
    kinds = _kinds(_drop_same(said), plain)
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


def _changes(plain: pd.DataFrame, before: pd.DataFrame) -> pd.DataFrame:
    """source_id, model_id, field and to_snapshot of each cell and day on which a span ends, starts, or both; `old` and
    `new` are the places of these two spans, -1 where there is none. The contents of a source's first snapshot are not
    changes."""
    first = before.groupby("source_id")["from_snapshot"].min().to_dict()
    ended, later = plain["until"].notna(), plain["since"] > mapped(plain["source_id"], first, "datetime64[s]")
    changed = np.flatnonzero(ended | later)  # most facts stand from the first snapshot to the last
    cell = np.zeros(len(plain), dtype="int64")
    cell[changed] = row_codes(plain[CELL[:3]].iloc[changed], CELL[:3])
    ends, starts = _events(plain, cell, ended, "until"), _events(plain, cell, later, "since")
    keys = np.union1d(ends.index, starts.index)
    old, new = (some.reindex(keys, fill_value=-1).to_numpy() for some in (ends, starts))
    day = np.where(old >= 0, plain["until"].to_numpy()[old], plain["since"].to_numpy()[new])
    cells = plain[CELL[:3]].iloc[np.where(old >= 0, old, new)].reset_index(drop=True)
    return cells.assign(to_snapshot=day, old=old, new=new)


def _events(plain: pd.DataFrame, cell: np.ndarray, when: pd.Series, day: str) -> pd.Series:
    """The place of the span that starts or ends, by its cell and day as one number; of duplicate records, that of the
    first by name."""
    rows = np.flatnonzero(when)
    key = pd.Index(cell[rows] * DAYS + plain[day].to_numpy()[rows].astype("datetime64[D]").astype("int64"))
    doubled = key.duplicated(keep=False)
    named = plain[["record", "value_text"]].iloc[rows[doubled]].assign(row=rows[doubled], key=key[doubled])
    named = named.sort_values(["record", "value_text"], kind="stable").drop_duplicates("key")
    found: pd.Series = pd.concat([pd.Series(rows[~doubled], key[~doubled]), named.set_index("key")["row"]])
    return found


def _with_states(cells: pd.DataFrame, plain: pd.DataFrame, readings: pd.DataFrame) -> pd.DataFrame:
    """The cells with what their old and their new spans say, as old_* and new_*; null where there is no such span."""
    made = {}
    for state in ("old", "new"):
        place = cells[state].to_numpy()
        text = np.where(place >= 0, plain["text"].to_numpy()[place], -1)
        for name in STATE:
            frame, rows = (plain, place) if name in plain else (readings, text)
            made[f"{state}_{name}"] = pd.Series(frame[name].array.take(rows, allow_fill=True), cells.index)
    return cells.drop(columns=["old", "new"]).assign(**made)


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
    spans = joined(keyed, names, ["source_id", "model_id"], how="left")
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
