"""What changed over time, from the spans of the ledger: since when a cell has its value, and the table `revisions` of
what sources changed between consecutive snapshots. Every start and every end of a span is an event; an end and a start
of the same field on the same day are one change."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from itertools import pairwise

import numpy as np
import pandas as pd

from pipeline.frames import conform, iso_days, mapped
from pipeline.normalize.columns import joined, row_codes
from pipeline.schema import TableSchema

CELL = ["source_id", "model_id", "field"]
NUMBERS = ["value", "low", "high"]
DAYS = 100_000  # more than have passed since 1970


def value_since(facts: pd.DataFrame, values: pd.DataFrame) -> pd.Series:
    """The day from which the cell of each fact has had its value, in whatever spelling."""
    begun = facts["since"].copy()
    first = mapped(facts["source_id"], facts.groupby("source_id")["since"].min().to_dict(), "datetime64[s]")
    rows = np.flatnonzero(facts["until"].notna() | (facts["since"] > first))  # most facts stand from first to last
    spans = facts[["source_id", "record", "field", "locator", "since", "until", "text"]].iloc[rows]
    cell = row_codes(spans, ["source_id", "record", "field", "locator"])
    order = np.lexsort((spans["since"].to_numpy(), cell))
    spans, cell, rows = spans.iloc[order], cell[order], rows[order]
    states = values[[*NUMBERS, "code"]].iloc[spans["text"].to_numpy()].reset_index(drop=True)
    numbers, before = states[NUMBERS], states.shift()
    is_same = np.isclose(numbers, before[NUMBERS], rtol=1e-9, atol=0, equal_nan=True).all(axis=1)
    is_same &= (states["code"] == before["code"]).to_numpy() & (numbers.notna().any(axis=1) | (states["code"] != ""))
    follows = (cell[1:] == cell[:-1]) & (spans["since"].to_numpy()[1:] == spans["until"].to_numpy()[:-1])
    starts = np.flatnonzero(~(is_same & np.append(False, follows)))
    begun.iloc[rows] = np.repeat(spans["since"].to_numpy()[starts], np.diff(np.append(starts, len(rows))))
    return begun


def last_changes(facts: pd.DataFrame, begun: pd.Series, snapshots: Mapping[str, list[date]]) -> np.ndarray:
    """When the cell of each fact last changed, as a number that grows with time, given since when it has its value:
    after the snapshot before that, and at the latest then. 0 for a cell that is as it was when the source first had the
    record."""
    first = facts["since"].groupby(row_codes(facts, ["source_id", "record"])).transform("min")
    days, after = begun.to_numpy().astype("datetime64[D]").astype("int64"), np.zeros(len(facts), dtype="int64")
    for name, rows in facts.groupby("source_id").indices.items():
        known = np.array(snapshots.get(str(name), []), dtype="datetime64[D]").astype("int64")
        after[rows] = np.append(0, known)[np.searchsorted(known, days[rows])]
    return np.where(begun > first, after * DAYS + days, 0)


def make_revisions(
    ledger: pd.DataFrame,
    values: pd.DataFrame,
    snapshots: Mapping[str, list[date]],
    splits: Collection[str],
    table: TableSchema,
    as_of: date | None = None,
) -> pd.DataFrame:
    """The table `revisions` up to a day, from the facts of the whole ledger, their parsed values and the snapshots of
    each source; an added record among `splits` is part of an older one. Only plain columns count: fragments of notes
    change with their notes."""
    about_models = (ledger["locator"] == "") & (ledger["model_id"].fillna("") != "")
    plain = ledger.loc[about_models, [*CELL, "record", "value_text", "since", "until", "text"]]
    cells = _changed_cells(plain, snapshots)
    columns = plain.groupby(["source_id", "field"]).agg(
        first=("since", "min"), last=("until", "max"), ended=("until", "count"), spans=("since", "count")
    )
    column = cells.join(columns, on=["source_id", "field"])  # the whole column came or went: no change of a cell
    gone = (column["ended"] == column["spans"]) & (column["last"] <= column["to_snapshot"])
    names = plain.loc[plain["field"] == "name", ["source_id", "model_id", "since", "until"]]
    kinds = _kinds(_with_states(cells[(column["first"] < column["to_snapshot"]) & ~gone], plain, values), names)
    is_split = (kinds["kind"] == "record_added") & kinds["record"].isin(splits)
    day = iso_days(kinds["to_snapshot"])
    revisions = kinds.assign(
        kind=kinds["kind"].mask(is_split, "split"),
        revision_id=kinds["source_id"] + ":" + kinds["model_id"] + ":" + kinds["field"] + ":" + day,
        ratio=kinds["new_value"] / kinds["old_value"],
    )
    return conform(revisions[kinds["to_snapshot"] <= pd.Timestamp(as_of)] if as_of else revisions, table)


def _changed_cells(plain: pd.DataFrame, snapshots: Mapping[str, list[date]]) -> pd.DataFrame:
    """source_id, model_id, field, from_snapshot and to_snapshot of each cell and day on which a span ends, starts, or
    both; `old` and `new` are the places of these two spans, -1 where there is none. The contents of a source's first
    snapshot are not changes."""
    pairs = [(name, *pair) for name, days in snapshots.items() for pair in pairwise(sorted(days))]
    dtypes = {"source_id": "str", "from_snapshot": "datetime64[s]", "to_snapshot": "datetime64[s]"}
    before = pd.DataFrame(pairs, columns=list(dtypes)).astype(dtypes)
    first = before.groupby("source_id")["from_snapshot"].min().to_dict()
    ended, later = plain["until"].notna(), plain["since"] > mapped(plain["source_id"], first, "datetime64[s]")
    changed = np.flatnonzero(ended | later)
    cell = np.zeros(len(plain), dtype="int64")
    cell[changed] = row_codes(plain[CELL].iloc[changed], CELL)
    ends, starts = _events(plain, cell, ended, "until"), _events(plain, cell, later, "since")
    keys = np.union1d(ends.index, starts.index)
    old, new = (some.reindex(keys, fill_value=-1).to_numpy() for some in (ends, starts))
    day = np.where(old >= 0, plain["until"].to_numpy()[old], plain["since"].to_numpy()[new])
    cells = plain[CELL].iloc[np.where(old >= 0, old, new)].reset_index(drop=True)
    return joined(cells.assign(to_snapshot=day, old=old, new=new), before, ["source_id", "to_snapshot"])


def _events(plain: pd.DataFrame, cell: np.ndarray, when: pd.Series, day: str) -> pd.Series:
    """The place of the span that starts or ends, by its cell and day as one number; of duplicate records, that of the
    first by name."""
    rows = np.flatnonzero(when)
    key = pd.Index(cell[rows] * DAYS + plain[day].to_numpy()[rows].astype("datetime64[D]").astype("int64"))
    doubled = key.duplicated(keep=False)
    named = plain[["record", "value_text"]].iloc[rows[doubled]].assign(row=rows[doubled], key=key[doubled])
    named = named.sort_values(["record", "value_text"], kind="stable").drop_duplicates("key")
    places: pd.Series = pd.concat([pd.Series(rows[~doubled], key[~doubled]), named.set_index("key")["row"]])
    return places


def _with_states(cells: pd.DataFrame, plain: pd.DataFrame, values: pd.DataFrame) -> pd.DataFrame:
    """The cells with what their old and their new spans say, as old_* and new_*, null where there is no such span;
    without those that are only spelled differently (names excepted: a new name is a rename)."""
    columns = {}
    for state in ("old", "new"):
        place = cells[state].to_numpy()
        text = np.where(place >= 0, plain["text"].to_numpy()[place], -1)
        for name in ("value_text", "value", "code", "unit", "record"):
            frame, rows = (plain, place) if name in plain else (values, text)
            columns[f"{state}_{name}"] = pd.Series(frame[name].array.take(rows, allow_fill=True), cells.index)
    states = cells.drop(columns=["old", "new"]).assign(**columns)
    numbers = states["old_value"].notna() & states["new_value"].notna()
    is_same = states["old_value_text"].notna() & states["new_value_text"].notna()
    same_code = ~numbers & (states["old_code"] == states["new_code"]) & (states["old_code"] != "")
    return states[~(is_same & ((numbers & (states["old_value"] == states["new_value"])) | same_code))]


def _kinds(cells: pd.DataFrame, names: pd.DataFrame) -> pd.DataFrame:
    """The cells with their kind, given when each model had a name; for a record that was added or removed, only the row
    about its name is kept."""
    keyed = cells.reset_index(names="cell")[["cell", "source_id", "model_id", "from_snapshot", "to_snapshot"]]
    spans = joined(keyed, names, ["source_id", "model_id"], how="left")
    days = spans[["from_snapshot", "to_snapshot"]]
    stands = days.ge(spans["since"], axis=0) & ~days.ge(spans["until"], axis=0)
    before = cells.index.isin(spans.loc[stands["from_snapshot"], "cell"])
    after = cells.index.isin(spans.loc[stands["to_snapshot"], "cell"])
    is_name, gone, came = cells["field"] == "name", cells["new_value_text"].isna(), cells["old_value_text"].isna()
    kinds = {
        "record_added": is_name & ~before,
        "record_removed": is_name & ~after,
        "renamed": is_name,
        "blanked": gone & after,
        "filled": came & before,
        "value_changed": ~gone & ~came,
    }
    kind = np.select(list(kinds.values()), list(kinds), default="")
    described = cells.assign(
        kind=kind,
        record=cells["new_record"].fillna(cells["old_record"]),
        unit=cells["new_unit"].fillna(cells["old_unit"]),
        old_text=cells["old_value_text"],
        new_text=cells["new_value_text"],
    )
    kept: pd.DataFrame = described[(kind != "") & (is_name | (before & after))]
    return kept
