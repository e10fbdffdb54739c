"""Past counts judged: how many runs above thresholds the facts of a day led one to expect among the models that were known
then, against what has been printed since.

Three groups of notable models are counted: those that had no value and got one (`filled`), those with a value then or
since (`valued`), and all that were known (`known`). The last is held against every run of until then with a printed value,
also of models that were added later: values that nobody prints are missing from that number.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import pandas as pd

from pipeline.impute.derive.run_ids import training_run_id
from pipeline.impute.flop import cascade
from pipeline.impute.flop.calibration_tables import Calibrated
from pipeline.impute.flop.predictions import predict_all
from pipeline.impute.flop.published_intervals import published_bounds, within_supply
from pipeline.impute.flop.rows import FIELD
from traincompute.thresholds import COLUMNS as COUNTED_BY
from traincompute.thresholds import by_year

THRESHOLDS_FLOP = (1e24, 1e25, 1e26)
EXPECTED = ["expected_runs", "low_90", "high_90"]
COLUMNS = ["vintage", "threshold_flop", "models", "runs_of", *EXPECTED, "later_runs", "is_inside"]
DIGITS = 3


def distributions(
    rows: pd.DataFrame, made: pd.DataFrame, calibrated: Calibrated, clusters: pd.DataFrame, bands: Mapping[str, float]
) -> pd.DataFrame:
    """The columns COLUMNS of `traincompute.thresholds`, from the rows and estimates of a day, as a build makes them."""
    given = cascade.impute(rows, made)
    models = within_supply(published_bounds(given, bands), rows, clusters)
    models = models.assign(training_run_id=training_run_id(models))
    estimates = made.assign(estimate_id=made["method"], field=FIELD)
    return models.merge(predict_all(models, estimates, calibrated.intervals, clusters), on="model_id")[COUNTED_BY]


def count_day(day: date, then: pd.DataFrame, since: pd.Index, printed: pd.Series, now: pd.DataFrame) -> pd.DataFrame:
    """The lines of a day: `then` are the models as `distributions` gives them, `since` those of which a value was printed after the
    day, `printed` by model_id the last value that was ever printed, and `now` the notable models of the newest state
    (model_id, training_run_id, publication_date)."""
    known = then[then["is_notable"].astype("bool") & (then["publication_date"] <= pd.Timestamp(day))]
    filled = (known["tier"] > 0) & known["model_id"].isin(since)
    groups = {"filled": filled, "valued": filled | (known["tier"] == 0), "known": known["tier"] >= 0}
    lines = []
    for name, some in groups.items():
        later = now if name == "known" else known[some]
        lines += _lines(day, name, known[some], later[later["publication_date"] <= pd.Timestamp(day)], printed)
    return pd.DataFrame(lines, columns=COLUMNS)


def _lines(day: date, name: str, known: pd.DataFrame, later: pd.DataFrame, printed: pd.Series) -> list[dict[str, Any]]:
    """A line for each threshold, none without models."""
    counted = by_year(known, THRESHOLDS_FLOP, [pd.Timestamp(day)]) if len(known) else []
    value = later["model_id"].map(printed)
    lines = []
    for expected in counted:
        runs = later.loc[value >= expected["threshold_flop"], "training_run_id"].nunique()
        about = {"vintage": pd.Timestamp(day), "models": name, "runs_of": known["training_run_id"].nunique()}
        numbers = {column: round(float(expected[column]), DIGITS) for column in EXPECTED}
        inside = expected["low_90"] <= runs <= expected["high_90"]
        threshold = expected["threshold_flop"]
        lines.append(about | numbers | {"threshold_flop": threshold, "later_runs": runs, "is_inside": inside})
    return lines
