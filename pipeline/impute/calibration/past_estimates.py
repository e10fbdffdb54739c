"""Past estimates scored: what the methods say of models that had no published value on a day, from the facts, the
published values and the errors of that day alone, against what the publisher printed later; of each model, and of the
number of runs above thresholds.

The methods are those of today; the curated facts, which were entered with hindsight, are left out.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from pipeline.config import Config, locked_snapshots
from pipeline.impute.calibration.calibrate import FEWEST, gather
from pipeline.impute.calibration.evaluate import CASCADE, measure, scored
from pipeline.impute.calibration.fit import fit
from pipeline.impute.calibration.material import describe, prepare
from pipeline.impute.derive.run_ids import training_run_id
from pipeline.impute.digits import log10
from pipeline.impute.flop import cascade
from pipeline.impute.flop.calibration_tables import Calibrated
from pipeline.impute.flop.predictions import PUBLISHED, choose, predict_all
from pipeline.impute.flop.published_intervals import published_bounds, within_supply
from pipeline.impute.flop.result import ENDS
from pipeline.impute.flop.rows import FIELD, load_declared
from pipeline.normalize.parse import with_values
from pipeline.normalize.stage import Read, load_ledger, read_ledger, read_records
from traincompute.base.quantiles import QUANTILES
from traincompute.show.waiting import Say, silent
from traincompute.thresholds import COLUMNS as COUNTED_BY
from traincompute.thresholds import by_year

SOURCE = "epoch_notable"
COLUMNS = ["model_id", "vintage", "method", "tier", *QUANTILES, "filled", "later_flop", "error_dex", "is_inside"]
DIGITS = 4
THRESHOLDS_FLOP = (1e24, 1e25, 1e26)
EXPECTED = ["expected_runs", "low_90", "high_90"]
COUNTS = ["vintage", "threshold_flop", "models", "runs_of", *EXPECTED, "later_runs", "is_inside"]


def judge_vintages(context: Config, say: Say = silent) -> dict[str, pd.DataFrame]:
    """The table `scores` but for its types, and the file `counts`."""
    read = read_ledger(context, load_ledger(context))
    now = newest(context, read)
    parts = []
    for day in locked_snapshots(context.lock, SOURCE):
        say(f"estimates of {day}")
        parts.append(judge_day(context, read, day, now))
    scores, counts = zip(*parts, strict=True)
    return {"scores": pd.concat(scores, ignore_index=True), "counts": pd.concat(counts, ignore_index=True)}


def newest(context: Config, read: Read) -> pd.DataFrame:
    """The notable models of the newest snapshot, with their training runs."""
    last = max(locked_snapshots(context.lock, SOURCE))
    rows = gather(context, read, last, curated=False)[0]
    models = rows.assign(training_run_id=training_run_id(rows))
    return models.loc[models["is_notable"].astype("bool"), ["model_id", "training_run_id", "publication_date"]]


def judge_day(context: Config, read: Read, day: date, now: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A line per model that was blank on a day and has been filled since, and one per count of runs; none where too few
    values had been published to judge the methods by."""
    rows, edges = gather(context, read, day, curated=False)
    if rows[FIELD].count() < FEWEST:
        return pd.DataFrame(columns=COLUMNS), pd.DataFrame(columns=COUNTS)
    blank = rows.loc[rows[FIELD].isna(), "model_id"]
    later = printed_since(context, read, day)
    calibrated, made = methods_of(rows, edges)
    said = choose(made.assign(estimate_id=made["method"]), rows, calibrated.intervals)
    known = said[said["tier"] != PUBLISHED].join(later[later.index.isin(blank)], on="model_id", how="inner")
    inside = known["later_flop"].between(known["flop_05"], known["flop_95"])
    error = log10(known["flop_50"] / known["later_flop"]).round(DIGITS)
    known = known.assign(vintage=pd.Timestamp(day), error_dex=error, is_inside=inside)
    scores = known.sort_values("model_id")[COLUMNS]
    bands, clusters = load_declared(context).bands, read_records(context, "clusters")
    then = distributions(rows, made, calibrated, clusters, bands)
    printed = printed_since(context, read, date.min)["later_flop"]
    return scores, count_day(day, then, later.index, printed, now)


def printed_since(context: Config, read: Read, day: date) -> pd.DataFrame:
    """By model_id: when the publisher first printed a training compute after that day (`filled`), and what it printed
    last (`later_flop`)."""
    publisher = context.sources[SOURCE].publisher
    same = [name for name, source in context.sources.items() if source.publisher == publisher]
    facts, after = read.ledger, pd.Timestamp(day)
    cells = facts[(facts["field"] == FIELD) & facts["source_id"].isin(same) & (facts["since"] > after)]
    typed = with_values(cells, read.readings).dropna(subset="value").sort_values(["since", "source_id"])
    return typed.groupby("model_id").agg(filled=("since", "first"), later_flop=("value", "last"))


def methods_of(rows: pd.DataFrame, edges: pd.DataFrame) -> tuple[Calibrated, pd.DataFrame]:
    """What is fitted to the rows with a published value, and what all methods say of all rows."""
    about = describe(rows, edges)
    calibrated = fit(prepare(rows, edges, about), np.ones(len(about), dtype=bool))
    return calibrated, cascade.estimates_of(rows, edges, calibrated)


def measure_filled(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of `calibration` about models that were blank and have been filled since, each by the facts of its last
    snapshot without a value."""
    last = scores.sort_values("vintage").drop_duplicates("model_id", keep="last").assign(value=scores["flop_50"])
    dex = {name: log10(last[column] / last["value"]) for name, column in zip(ENDS, QUANTILES, strict=True)}
    made = last.assign(method=CASCADE, alike_dex=np.nan, **dex)
    judged = scored(made, last.set_index("model_id")["later_flop"])
    return pd.DataFrame(measure(judged, "filled", "upstream", ("tier",), ()))


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
    """The lines of a day: `then` are the models as `distributions` gives them, `since` those of which a value was
    printed after the day, `printed` by model_id the last value that was ever printed, and `now` the notable models of
    the newest state (model_id, training_run_id, publication_date).

    Three groups are counted: those that had no value and got one (`filled`), those with a value then or since
    (`valued`), and all that were known (`known`). The last is held against every run of until then with a printed
    value, also of models that were added later: values that nobody prints are missing from that number."""
    known = then[then["is_notable"].astype("bool") & (then["publication_date"] <= pd.Timestamp(day))]
    filled = (known["tier"] > 0) & known["model_id"].isin(since)
    groups = {"filled": filled, "valued": filled | (known["tier"] == 0), "known": known["tier"].notna()}
    lines = []
    for name, some in groups.items():
        later = now if name == "known" else known[some]
        lines += _lines(day, name, known[some], later[later["publication_date"] <= pd.Timestamp(day)], printed)
    return pd.DataFrame(lines, columns=COUNTS)


def _lines(day: date, name: str, known: pd.DataFrame, later: pd.DataFrame, printed: pd.Series) -> list[dict[str, Any]]:
    """A line for each threshold, none without models."""
    counted = by_year(known, THRESHOLDS_FLOP, [pd.Timestamp(day)]) if len(known) else []
    value = later["model_id"].map(printed)
    lines = []
    for expected in counted:
        runs = later.loc[value >= expected["threshold_flop"], "training_run_id"].nunique()
        about = {"vintage": pd.Timestamp(day), "models": name, "runs_of": known["training_run_id"].nunique()}
        numbers = {column: round(float(expected[column]), 3) for column in EXPECTED}
        inside = expected["low_90"] <= runs <= expected["high_90"]
        threshold = expected["threshold_flop"]
        lines.append(about | numbers | {"threshold_flop": threshold, "later_runs": runs, "is_inside": inside})
    return lines
