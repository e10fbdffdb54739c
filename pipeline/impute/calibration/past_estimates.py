"""Past estimates scored: what the methods say of models that had no published value on a day, from the facts, the
published values and the errors of that day alone, against what the publisher printed later.

The methods are those of today; the curated facts, which were entered with hindsight, are left out.
"""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd

from pipeline.base.digits import log10
from pipeline.impute.calibration.calibrate import FEWEST, gather
from pipeline.impute.calibration.evaluate import CASCADE, ENDS, scored
from pipeline.impute.calibration.fit import fit
from pipeline.impute.calibration.material import prepare
from pipeline.impute.calibration.strata import measure
from pipeline.impute.calibration.withheld import describe
from pipeline.impute.flop import cascade
from pipeline.impute.flop.predictions import PUBLISHED, choose
from pipeline.impute.flop.rows import FIELD
from pipeline.normalize.readings import with_readings
from pipeline.normalize.stage import Read, load_ledger, read_ledger
from pipeline.registry.context import Context
from pipeline.registry.sources import locked_snapshots
from traincompute.base.quantiles import QUANTILES
from traincompute.show.waiting import Say, silent

SOURCE = "epoch_notable"
COLUMNS = ["model_id", "vintage", "method", "tier", *QUANTILES, "filled", "later_flop", "error_dex", "is_inside"]
DIGITS = 4


def score_vintages(context: Context, say: Say = silent) -> pd.DataFrame:
    """The table `scores` but for its types: a line per day and model that was blank then and has been filled since."""
    read = read_ledger(context, load_ledger(context))
    parts = []
    for day in locked_snapshots(context.lock, SOURCE):
        say(f"estimates of {day}")
        parts.append(score_day(context, read, day))
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
    about = describe(rows, edges)
    calibrated = fit(prepare(rows, edges, about), np.ones(len(about), dtype=bool))
    made = cascade.estimates_of(rows, edges, calibrated)
    found = choose(made.assign(estimate_id=made["method"]), rows, calibrated.intervals)
    return found[found["tier"] != PUBLISHED][["model_id", "method", "tier", *QUANTILES]]


def _scored(day: date, made: pd.DataFrame, later: pd.DataFrame) -> pd.DataFrame:
    known = made.join(later, on="model_id", how="inner").assign(vintage=pd.Timestamp(day))
    inside = known["later_flop"].between(known["flop_05"], known["flop_95"])
    error = log10(known["flop_50"] / known["later_flop"]).round(DIGITS)
    return known.assign(error_dex=error, is_inside=inside).sort_values("model_id")[COLUMNS]


def measure_filled(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of `calibration` about models that were blank and have been filled since, each by the facts of its last
    snapshot without a value."""
    last = scores.sort_values("vintage").drop_duplicates("model_id", keep="last").assign(value=scores["flop_50"])
    dex = {name: log10(last[column] / last["value"]) for name, column in zip(ENDS, QUANTILES, strict=True)}
    made = last.assign(method=CASCADE, alike_dex=np.nan, **dex)
    judged = scored(made, last.set_index("model_id")["later_flop"])
    return pd.DataFrame(measure(judged, "filled", "upstream", ("tier",), ()))
