"""Stated in a note: the bound that a source gives where it has no value.

A bound ("> 1e25 FLOP", "certainly < 1e23") limits the value from one side and never becomes one; so does a published
value that a correction turned into a bound. People read notes, and `pull` keeps what they read while the cell that a
note explains keeps its value. A figure in a note that its source did not enter as its value is a claim, no estimate."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.impute.results import written

METHOD = "stated_in_note"


def estimate(rows: pd.DataFrame) -> pd.DataFrame:
    """The result (see make_result) of each row, without a value: low or high where a source gives a bound."""
    low, high = rows["noted_low"], rows["noted_high"]
    bounded = low.notna() | high.notna()
    texts = ("at least " + written(low)).where(low.notna(), "at most " + written(high)) + " FLOP, says a source"
    made = {"value": np.nan, "low": low, "high": high, "formula": texts.where(bounded), "assumptions": None}
    made |= {"fields": pd.Series("training_compute_bound;training_compute_flop", rows.index).where(bounded)}
    reason = bounded.map({True: "needs a value: a source gives a bound", False: "needs a bound in a note"})
    return pd.DataFrame(made, rows.index).assign(reason=reason.astype("str"))
