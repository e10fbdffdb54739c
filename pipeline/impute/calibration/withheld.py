"""How far off each method is when each model's own FLOP, and everything computed from it, is withheld.

Withheld are the published value, bounds on it, figures in notes, cost, power, the frontier flag, and a utilisation with
which chips × hours × peak give back the published value. The published value of a base model may be used.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.impute.flop import cascade, formulas
from pipeline.impute.flop.formulas import FLOP_PER_PARAMETER_AND_TOKEN
from pipeline.impute.flop.methods import base_model, hardware, operation_count
from pipeline.impute.flop.methods.features import domain_groups, folds
from pipeline.impute.flop.rows import FIELD

SAME = 0.05  # a published value this close to 6 · N · D or to a hardware product is not independent of it
CUSTOMARY_SHARES = (0.30, 0.35, 0.40, 0.50)  # of the peak rate, with which publishers usually multiply
GIVEN_BACK = 0.02  # … and this close with the utilisation given, the utilisation is computed from it
# How much models count for the intervals: those whose published value is itself such a product count 0.4 times, those
# that are not notable a quarter. With equal weights, intervals contain only 81 to 83 % of the independent values.
DEPENDENT_WEIGHT = 0.4
NOT_NOTABLE_WEIGHT = 0.25


def hide(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows without what is computed from the published value, but with that value (others may be made from it)."""
    clocked = hardware.count_chip_hours(rows)["value"]
    given_back = (clocked / rows[FIELD] - 1).abs() < GIVEN_BACK
    return rows.assign(
        hardware_utilization=rows["hardware_utilization"].mask(given_back),
        **dict.fromkeys(("at_least", "at_most", "noted_low", "noted_high", "training_compute_stated"), np.nan),
    )


def describe(rows: pd.DataFrame, edges: pd.DataFrame, settled: pd.Series | None = None) -> pd.DataFrame:
    """What scores are grouped by, for the rows with a published value: that value, the one that is not contradicted
    (`settled`, by model_id; else the same), domain, confidence, year, notable, whole, independent, fold, and the weight
    for the intervals."""
    whole, notable = is_whole(rows, edges), rows["is_notable"].astype("bool")
    independent = is_independent(rows) & whole
    about = {
        "model_id": rows["model_id"],
        "published": rows[FIELD],
        "settled": rows[FIELD] if settled is None else rows["model_id"].map(settled),
        "domain": domain_groups(rows),
        "confidence": rows["training_compute_confidence"],
        "year": rows["publication_date"].dt.year,
        "notable": notable,
        "whole": whole,
        "independent": independent,
        "fold": folds(rows),
        "weight": np.where(independent, 1, DEPENDENT_WEIGHT) * np.where(notable, 1, NOT_NOTABLE_WEIGHT),
    }
    return pd.DataFrame(about)[rows[FIELD].notna()]


def is_whole(rows: pd.DataFrame, edges: pd.DataFrame) -> pd.Series:
    """False where the published value is less than those of the models that it was made from: it leaves them out, so it
    is not the total that we estimate (epoch.ai/data/ai-models-documentation/estimation: base models are included)."""
    published = rows.set_index("model_id")[FIELD]
    bases = base_model.base_compute(edges, published).set_axis(rows.index)
    return ~(rows[FIELD] < bases * (1 - SAME))


def is_independent(rows: pd.DataFrame) -> pd.Series:
    """Whether the published value is neither 6 · N · D (once, or × epochs) nor a hardware product within 5 %."""
    clocked, counted = hardware.count_chip_hours(rows)["value"], operation_count.count_operations(rows)["value"]
    n = rows["parameters_active"].fillna(rows["parameters"])
    once = formulas.counted(FLOP_PER_PARAMETER_AND_TOKEN, n, rows["training_tokens"].fillna(rows["dataset_size"]))
    full = formulas.from_chips(hardware.chip_hours_of(rows), hardware.peak_rate(rows), 1)
    shares = [full * share for share in CUSTOMARY_SHARES]
    same = rows[FIELD].isna()
    for product in (clocked, counted, once, once * rows["epochs"], full * rows["hardware_utilization"], *shares):
        same = same | ((product / rows[FIELD] - 1).abs() < SAME)
    return ~same


def count_imputed(rows: pd.DataFrame, edges: pd.DataFrame) -> pd.DataFrame:
    """method, models, bounds: how many notable models without a published value get a value from each method, and how
    many get only a bound."""
    results = cascade.all_methods(rows, edges, None)
    notable = rows["is_notable"].astype("bool")
    taken = {name: made["is_selected"] & notable for name, made in results.items()}
    models = [int((taken[name] & made["value"].notna()).sum()) for name, made in results.items()]
    bounds = [int((taken[name] & made["value"].isna()).sum()) for name, made in results.items()]
    return pd.DataFrame({"method": list(results), "models": models, "bounds": bounds})
