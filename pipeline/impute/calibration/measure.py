"""`traincompute calibrate`: how far off the estimates are for models whose compute is published, leaving each one out.

Measured once from upstream facts alone, and once with the curated facts, as if they had been entered by the date of the
vintage: these give the coefficients of the regression and the intervals that the build uses. In both, the published
value is upstream's, and so is what counts as independent of 6 · N · D and of hardware products.
"""

from __future__ import annotations

from datetime import date

import pandas as pd

from pipeline.base.errors import DataError, Problem
from pipeline.impute.calibration.errors import (
    count_imputed,
    describe,
    for_fit,
    measure,
    out_of_fold,
    own_methods,
    predict,
    score,
)
from pipeline.impute.flop import intervals
from pipeline.impute.flop.calibrated import Calibrated
from pipeline.impute.flop.declared import load_declared
from pipeline.impute.flop.methods import statistical
from pipeline.impute.flop.rows import FIELD, base_edges, estimation_rows
from pipeline.normalize import corrections
from pipeline.normalize.quarantine import quarantine_bounds
from pipeline.normalize.stage import Read, load_ledger, pivot_tables, read_ledger, read_vintage, select_claims
from pipeline.registry.context import Context
from pipeline.registry.frames import conform

INPUTS = ("upstream", "curated")
FEWEST = 100  # published values: with fewer, a fifth of them says nothing about the rest
# curated claims about these, or corrections to them, would give the answer away
ANSWERS = ("training_compute", "training_cost")


def measure_all(context: Context, as_of: date) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """The tables coefficients and intervals (with curated facts, as the build sees them), calibration and imputed, and
    the judged predictions from upstream facts alone."""
    read = read_ledger(context, load_ledger(context))
    gathered = {inputs: gather(context, read, as_of, curated=inputs == "curated") for inputs in INPUTS}
    upstream = gathered["upstream"][0]
    _check_enough(upstream[FIELD].notna().sum(), as_of)
    published, about = upstream.set_index("model_id")[FIELD], describe(*gathered["upstream"])
    judged, table, imputed = {}, [], []
    for inputs, (seen, edges) in gathered.items():
        rows = seen.assign(**{FIELD: seen["model_id"].map(published)})
        coefficients, scored = fit_and_score(rows, edges, about)
        judged[inputs] = out_of_fold(scored[scored["notable"]], scored)
        table.append(measure(judged[inputs], inputs))
        imputed.append(count_imputed(rows, edges).assign(inputs=inputs))
    made = {
        "coefficients": coefficients.reset_index(),
        "intervals": intervals.make_intervals(own_methods(scored)),
        "calibration": conform(pd.concat(table), context.schemas["calibration"]),
        "imputed": pd.concat(imputed)[["inputs", "method", "models", "bounds"]],
    }
    return made, judged["upstream"]


def _check_enough(models: int, as_of: date) -> None:
    """Raises DataError if a vintage has too few published values to withhold some of them and judge by the others."""
    if models < FEWEST:
        reason = f"has {models} models with a published value, but calibration needs {FEWEST}"
        raise DataError([Problem("--as-of", "", "", str(as_of), reason, "choose a later snapshot")])


def fit_and_score(rows: pd.DataFrame, edges: pd.DataFrame, about: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The coefficients fitted to the rows, and the scores of all methods on them."""
    coefficients = statistical.fit(*for_fit(rows, edges))
    predicted = predict(rows, edges, Calibrated(coefficients, intervals.empty()))
    return coefficients, score(predicted, about)


def gather(context: Context, read: Read, as_of: date, *, curated: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The inputs of the methods and the edges to base models, from the facts of a vintage, with or without the curated
    ones and the declared corrections."""
    ledger = read.ledger
    entered = ledger["source_id"].map({name: s.adapter == "curated" for name, s in context.sources.items()})
    answers = ledger["field"].str.startswith(ANSWERS)
    ledger = ledger[~entered | (curated & ~answers & ledger["until"].isna())]
    ledger = ledger.assign(since=ledger["since"].mask(entered.astype(bool), pd.Timestamp(as_of)))
    typed = quarantine_bounds(read_vintage(context, read._replace(ledger=ledger), as_of))
    fixes = [fix for fix in corrections.load_corrections(context.paths) if not fix["field"].startswith(ANSWERS)]
    judged = select_claims(context, typed, fixes if curated else [], None)
    made = pivot_tables(context, judged, typed[typed["subject"] == "hardware"])
    rows = estimation_rows({**made, "claims": judged}, load_declared(context))
    return rows, base_edges(judged, rows["model_id"])
