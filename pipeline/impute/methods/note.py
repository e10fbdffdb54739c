"""Stated in a note: the figure or bound that a source's note gives where its column is empty.

A figure stays an estimate among the others: a source does not vouch for a figure that it did not enter as its value. A
bound ("> 1e25 FLOP", "certainly < 1e23") is a censored claim: it limits the value from one side and never becomes one;
so is a published value that a correction turned into a bound. People read notes, and `pull` keeps what they read while
the cell that a note explains keeps its value."""

from __future__ import annotations

import pandas as pd

from pipeline.impute.results import ASSUMED_DEX, first_reason, make_result, written

METHOD = "stated_in_note"
SAME = 0.05  # a figure this close to one that a correction took away is that one


def estimate(rows: pd.DataFrame) -> pd.DataFrame:
    """The result (see make_result) of each row; only low or high if a note gives a bound."""
    value, low, high = rows["training_compute_stated"], rows["noted_low"], rows["noted_high"]
    reasons = {
        "needs a figure that no correction took away": (value / rows["refused"] - 1).abs() < SAME,
        "needs a figure: a source gives a bound": value.isna() & (low.notna() | high.notna()),
        "needs a figure in a note": value.isna(),
    }
    reason = first_reason(reasons, rows.index)
    bounded = reason == "needs a figure: a source gives a bound"
    formula, field = written(value) + " FLOP in a note", "training_compute_stated"
    made = make_result(value, ASSUMED_DEX, reason, formula=formula, assumptions="", fields=field)
    texts = ("at least " + written(low)).where(low.notna(), "at most " + written(high)) + " FLOP, says a source"
    return made.assign(
        low=made["low"].mask(bounded, low),
        high=made["high"].mask(bounded, high),
        formula=made["formula"].mask(bounded, texts),
        fields=made["fields"].mask(bounded, "training_compute_bound;training_compute_flop"),
    )
