"""Past estimates scored: what the methods say of models that had no published value on a day, from the facts, the
published values and the errors of that day alone, against what the publisher printed later.

The methods are those of today; the curated facts, which were entered with hindsight, are left out.
"""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd

from pipeline.impute.calibration.errors import describe, own_methods
from pipeline.impute.calibration.measure import FEWEST, fit_and_score, gather
from pipeline.impute.flop import cascade, formulas, intervals
from pipeline.impute.flop.calibrated import Calibrated
from pipeline.impute.flop.methods import statistical
from pipeline.impute.flop.methods.features import STARTS
from pipeline.impute.flop.result import rounded
from pipeline.impute.flop.rows import FIELD
from pipeline.normalize.readings import with_readings
from pipeline.normalize.stage import Read, load_ledger, read_ledger
from pipeline.registry.context import Context
from pipeline.registry.sources import locked_snapshots

SOURCE = "epoch_notable"
# What an estimate rests on
PHYSICAL, BASE, SIZE, KIND = 1, 2, 3, 4
TIERS = {STARTS[0]: BASE, STARTS[-1]: KIND}  # of the regression; it rests on size, data or chips otherwise
ENDS = {"05": (90, -1), "25": (50, -1), "75": (50, 1), "95": (90, 1)}  # quantile: the interval that it ends
COLUMNS = ["model_id", "vintage", "method", "tier", "flop_05", "flop_25", "flop_50", "flop_75", "flop_95", "filled",
           "later_flop", "error_dex", "is_inside"]  # fmt: skip
DIGITS = 4


def score_vintages(context: Context) -> pd.DataFrame:
    """The table `scores` but for its types: a line per day and model that was blank then and has been filled since."""
    read = read_ledger(context, load_ledger(context))
    parts = [score_day(context, read, day) for day in locked_snapshots(context.lock, SOURCE)]
    return pd.concat(parts, ignore_index=True)


def score_day(context: Context, read: Read, day: date) -> pd.DataFrame:
    """The lines of one day; none where too few values had been published to judge the methods by."""
    rows, edges = gather(context, read, day, curated=False)
    blank = rows.loc[rows[FIELD].isna(), "model_id"]
    later = printed_since(context, read, day)
    later = later[later.index.isin(blank)]
    return _scored(day, estimates_of(rows, edges), later) if rows[FIELD].count() >= FEWEST else later[:0]


def printed_since(context: Context, read: Read, day: date) -> pd.DataFrame:
    """By model_id: when the publisher first printed a training compute after that day (`filled`), and what it printed
    last (`later_flop`)."""
    publisher = context.sources[SOURCE].publisher
    same = [name for name, source in context.sources.items() if source.publisher == publisher]
    facts, after = read.ledger, pd.Timestamp(day)
    cells = facts[(facts["field"] == FIELD) & facts["source_id"].isin(same) & (facts["since"] > after)]
    typed = with_readings(cells, read.readings).dropna(subset="value").sort_values(["since", "source_id"])
    return typed.groupby("model_id").agg(filled=("since", "first"), later_flop=("value", "last"))


def estimates_of(rows: pd.DataFrame, edges: pd.DataFrame) -> pd.DataFrame:
    """model_id, method, tier and quantiles for the rows without a published value; calibrated by the other rows."""
    coefficients, scored = fit_and_score(rows, edges, describe(rows, edges))
    table = intervals.make_intervals(own_methods(scored))
    made = cascade.all_methods(rows, edges, Calibrated(coefficients, table))
    regression = made.pop(statistical.METHOD)
    taken = pd.concat([result[result["is_selected"] & result["value"].notna()] for result in made.values()])
    rest = regression[regression["published"].isna() & ~regression["model_id"].isin(taken["model_id"])]
    both = pd.concat([taken, rest], ignore_index=True)
    tier = both["assumptions"].map(TIERS).fillna(SIZE).where(both["method"] == statistical.METHOD, PHYSICAL)
    return both[["model_id", "method"]].assign(tier=tier.astype("int64"), **_quantiles(both, table))


def _quantiles(made: pd.DataFrame, table: pd.DataFrame) -> dict[str, pd.Series]:
    found = {"flop_50": made["value"]}
    for name, (level, side) in ENDS.items():
        half = intervals.half_width(made, table, level)
        found[f"flop_{name}"] = rounded(formulas.upper(made["value"], half * side))
    return found


def _scored(day: date, made: pd.DataFrame, later: pd.DataFrame) -> pd.DataFrame:
    scored = made.join(later, on="model_id", how="inner").assign(vintage=pd.Timestamp(day))
    inside = scored["later_flop"].between(scored["flop_05"], scored["flop_95"])
    error = np.log10(scored["flop_50"] / scored["later_flop"]).round(DIGITS)
    return scored.assign(error_dex=error, is_inside=inside).sort_values("model_id")[COLUMNS]
