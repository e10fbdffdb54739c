"""Bounds that contradict the value they belong to, in one record of one source, are quarantined; the value is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

VALUE, LOW, HIGH = "training_compute_flop", "training_compute_low", "training_compute_high"
REMEDY = "look at the source; if the bound is right, correct the value in data/raw/curated/corrections.yml"


def quarantine_bounds(typed: pd.DataFrame) -> pd.DataFrame:
    """The typed facts, where a lower bound above the value or above the upper bound, and an upper bound below the
    value, have a reason."""
    stated = typed[typed["field"].isin([VALUE, LOW, HIGH]) & (typed["locator"] == "") & typed["value"].notna()]
    wide = stated.groupby(["source_id", "record", "field"])["value"].first().unstack()
    beside = stated[["source_id", "record", "field", "value"]].join(
        wide.reindex(columns=[VALUE, LOW, HIGH]), on=["source_id", "record"]
    )
    low = (beside["field"] == LOW) & ((beside["value"] > beside[VALUE]) | (beside["value"] > beside[HIGH]))
    high = (beside["field"] == HIGH) & (beside["value"] < beside[VALUE])
    wrong = beside.index[low | high]
    if wrong.empty:
        return typed
    marked = typed.copy()
    marked.loc[wrong, "reason"] = "the bound contradicts the value of its record"
    marked.loc[wrong, "remedy"] = REMEDY
    return marked
