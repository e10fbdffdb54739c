"""What changed over time, from the spans of the ledger: since when a cell has its value, and the table `revisions` of
what sources changed between consecutive snapshots. Every start and every end of a span is an event; an end and a start
of the same field on the same day are one change."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from itertools import pairwise

import numpy as np
import pandas as pd

from pipeline.frames import iso_days, mapped
from pipeline.normalize.columns import joined, row_codes

CELL = ["source_id", "model_id", "field"]
NUMBERS = ["value", "low", "high"]
SAID = ["record", "value_text", "value", "code", "unit"]
DAYS = 100_000  # more than have passed since 1970


def with_history(facts: pd.DataFrame, values: pd.DataFrame, snapshots: Mapping[str, list[date]]) -> pd.DataFrame:
    """The facts with the day since which their cell has had its value, in whatever spelling (`begun`), and with when it
    last changed as a number that grows with time (`changed`): after the snapshot before that, and at the latest then; 0
    for a cell that is as it was when the source first had the record."""
    begun, since = facts["since"].copy(), facts["since"].groupby(facts["source_id"])
    # most facts stand from first to last
    rows = np.flatnonzero(facts["until"].notna() | (facts["since"] > since.transform("min")))
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
    first = facts["since"].groupby(row_codes(facts, ["source_id", "record"])).transform("min")
    days, after = begun.to_numpy().astype("datetime64[D]").astype("int64"), np.zeros(len(facts), dtype="int64")
    for name, places in since.indices.items():
        known = np.array(snapshots.get(str(name), []), dtype="datetime64[D]").astype("int64")
        after[places] = np.append(0, known)[np.searchsorted(known, days[places])]
    return facts.assign(begun=begun, changed=np.where(begun > first, after * DAYS + days, 0))


def make_revisions(
    ledger: pd.DataFrame,
    values: pd.DataFrame,
    snapshots: Mapping[str, list[date]],
    splits: Collection[str],
    as_of: date | None = None,
) -> pd.DataFrame:
    """The table `revisions` up to a day, from the facts of the whole ledger, their parsed values and the snapshots of
    each source; an added record among `splits` is part of an older one. Only plain columns count: fragments of notes
    change with their notes."""
    about_models = (ledger["locator"] == "") & (ledger["model_id"].fillna("") != "")
    plain = ledger.loc[about_models, [*CELL, "record", "value_text", "since", "until", "text"]]
    cells = _changed_cells(plain, values, snapshots)
    columns = plain.groupby(["source_id", "field"]).agg(
        first=("since", "min"), last=("until", "max"), ended=("until", "count"), spans=("since", "count")
    )
    column = cells.join(columns, on=["source_id", "field"])  # the whole column came or went: no change of a cell
    gone = (column["ended"] == column["spans"]) & (column["last"] <= column["to_snapshot"])
    cells = cells[(column["first"] < column["to_snapshot"]) & ~gone]
    revisions = _with_kinds(cells, plain.loc[plain["field"] == "name", ["source_id", "model_id", "since", "until"]])
    is_split = (revisions["kind"] == "record_added") & revisions["record"].isin(splits)
    key = revisions["source_id"] + ":" + revisions["model_id"] + ":" + revisions["field"] + ":"
    revisions = revisions.assign(
        kind=revisions["kind"].mask(is_split, "split"),
        revision_id=key + iso_days(revisions["to_snapshot"]),
        ratio=revisions["new_value"] / revisions["old_value"],
    )
    return revisions[revisions["to_snapshot"] <= pd.Timestamp(as_of)] if as_of else revisions


def _changed_cells(plain: pd.DataFrame, values: pd.DataFrame, snapshots: Mapping[str, list[date]]) -> pd.DataFrame:
    """Each cell and day on which a span ends, starts, or both: source_id, model_id, field, from_snapshot, to_snapshot,
    and what the span that ended and the one that started say (`old_*` and `new_*`, null where there is none). What is
    only spelled differently is left out (a new name is a rename), and the contents of a source's first snapshot are no
    changes."""
    pairs = [(name, *pair) for name, days in snapshots.items() for pair in pairwise(sorted(days))]
    dtypes = {"source_id": "str", "from_snapshot": "datetime64[s]", "to_snapshot": "datetime64[s]"}
    before = pd.DataFrame(pairs, columns=list(dtypes)).astype(dtypes)
    first = before.groupby("source_id")["from_snapshot"].min().to_dict()
    later = plain["since"] > mapped(plain["source_id"], first, "datetime64[s]")
    events, key = [], [*CELL, "to_snapshot"]
    for state, day, happens in (("old", "until", plain["until"].notna()), ("new", "since", later)):
        spans = plain[happens].rename(columns={day: "to_snapshot"})
        doubled = spans.duplicated(key, keep=False)  # of duplicate records the first by name counts
        named = spans[doubled].sort_values(["record", "value_text"], kind="stable").drop_duplicates(key)
        spans = pd.concat([spans[~doubled], named])
        said = values[["value", "code", "unit"]].iloc[spans["text"].to_numpy()].set_axis(spans.index)
        names = {name: f"{state}_{name}" for name in SAID}
        events.append(spans[[*key, "record", "value_text"]].join(said).rename(columns=names))
    cells = joined(joined(events[0], events[1], key, how="outer"), before, ["source_id", "to_snapshot"])
    is_same = (cells["old_value"] == cells["new_value"]) & cells["old_value"].notna()
    numbers = cells["old_value"].notna() & cells["new_value"].notna()
    is_same |= ~numbers & (cells["old_code"] == cells["new_code"]).fillna(False) & (cells["old_code"] != "")
    return cells[~is_same]


def _with_kinds(cells: pd.DataFrame, names: pd.DataFrame) -> pd.DataFrame:
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
