"""Since when a cell has its value, and when it last changed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import numpy as np
import pandas as pd

from pipeline.frames import mapped
from pipeline.normalize.columns import row_codes

DAYS = 100_000  # more than have passed since 1970


def value_since(facts: pd.DataFrame, readings: pd.DataFrame) -> pd.Series:
    """The day from which the cell of each fact has had its value, in whatever spelling."""
    begun = facts["since"].copy()
    first = mapped(facts["source_id"], facts.groupby("source_id")["since"].min().to_dict(), "datetime64[s]")
    rows = np.flatnonzero(facts["until"].notna() | (facts["since"] > first))
    spans = facts[["source_id", "record", "field", "locator", "since", "until", "text"]].iloc[rows]
    cell = row_codes(spans, ["source_id", "record", "field", "locator"])
    order = np.lexsort((spans["since"].to_numpy(), cell))
    spans, cell, rows = spans.iloc[order], cell[order], rows[order]
    said = readings[["value", "low", "high", "code"]].iloc[spans["text"].to_numpy()].reset_index(drop=True)
    numbers, before = said[["value", "low", "high"]], said.shift()
    as_before = np.isclose(numbers, before[list(numbers)], rtol=1e-9, atol=0, equal_nan=True).all(axis=1)
    as_before &= (said["code"] == before["code"]).to_numpy() & (numbers.notna().any(axis=1) | (said["code"] != ""))
    joins = np.append(
        False, (cell[1:] == cell[:-1]) & (spans["since"].to_numpy()[1:] == spans["until"].to_numpy()[:-1])
    )
    starts = np.flatnonzero(~(as_before & joins))
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
