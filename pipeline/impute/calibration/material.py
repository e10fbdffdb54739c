"""What all calibrations on the same rows have in common: what is known of the models, and the physical estimates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pipeline.impute.calibration.withheld import hide
from pipeline.impute.flop import cascade
from pipeline.impute.flop.methods import base_model, hardware, operation_count
from pipeline.impute.flop.methods.features import STARTS, Columns, log_numbers, starts
from pipeline.impute.flop.methods.second_opinion import own_columns
from pipeline.impute.flop.predictions import BASE, ESTIMATED
from pipeline.impute.flop.rows import FIELD

PHYSICAL = [base_model.METHOD, operation_count.METHOD, hardware.METHOD]
PREDICTED = ["model_id", "method", "assumptions", "inputs_dex", "value"]
WEIGHT = 0.5  # of a copy
ENDING = " (masked)"
MEASURED = ["parameters", "parameters_active", "training_tokens", "dataset_size", "epochs", "batch_size",
            "finetune_compute_flop", "hardware_quantity", "training_hours", "chip_hours", "forward_flop",
            "training_examples", "training_factor", "capability_index", *hardware.RATES.values()]  # fmt: skip


class Material(NamedTuple):
    """The models with a published value: rows without what is computed from it, the FLOP of their base models, what the
    second opinion looks at, the results of the physical methods (`taken`: which one would be), the base's compute by
    model_id where that alone is known, and `about` (errors.describe) by model_id in the order of the rows; and of the
    notable models without a published value the share that rests on each thing (`rests_on`)."""

    rows: pd.DataFrame
    bases: pd.Series
    own: Columns
    physical: pd.DataFrame
    alone: pd.Series
    about: pd.DataFrame
    missing: pd.Series


def prepare(rows: pd.DataFrame, edges: pd.DataFrame, about: pd.DataFrame) -> Material:
    """What all calibrations on these rows have in common."""
    rows = hide(rows)
    results = cascade.all_methods(rows, edges, None)
    bases = cascade.known_bases(results, rows, edges)
    judged = cascade.judge({method: results[method] for method in PHYSICAL}, rows.assign(**{FIELD: np.nan}))
    made = pd.concat([results[method].assign(taken=judged[method]["is_selected"]) for method in PHYSICAL])
    known = rows["model_id"].isin(about["model_id"]).to_numpy()
    made = made[made["model_id"].isin(about["model_id"])]
    alone = made[made["assumptions"] == base_model.ALONE].set_index("model_id")["low"]
    physical = made[made["method"].isin(PHYSICAL) & made["value"].notna()][[*PREDICTED, "taken"]]
    by_row = about.set_index("model_id").reindex(rows.loc[known, "model_id"])
    own = {name: values[known] for name, values in own_columns(rows, bases).items()}
    return Material(rows[known], bases[known], own, physical, alone, by_row, _missing(rows, bases, results))


def _missing(rows: pd.DataFrame, bases: pd.Series, results: dict[str, pd.DataFrame]) -> pd.Series:
    """Of the notable models without a published value the share that rests on each thing (see `rests_on`)."""
    start = np.array(STARTS, dtype=object)[starts(rows, log_numbers(rows, bases))]
    found = pd.Series(start, index=rows.index)
    found = found.mask(results[base_model.METHOD]["assumptions"] == base_model.ALONE, base_model.ALONE)
    for method in reversed(PHYSICAL):
        found = found.mask(results[method]["is_selected"] & results[method]["value"].notna(), method)
    return found[rows[FIELD].isna() & rows["is_notable"].astype("bool")].value_counts(normalize=True)


def rests_on(judged: pd.DataFrame) -> pd.Series:
    """What would be taken rests on: a physical method, the base's compute alone, or what the regression starts from."""
    statistical_on = judged["assumptions"].mask(judged["tier"] == BASE, base_model.ALONE)
    return statistical_on.where(judged["tier"] != ESTIMATED, judged["made_by"])


def with_copies(material: Material) -> Material:
    """The models and, in the same order after them, their copies with a model_id of their own. `about` has the `share`
    that each counts.

    The models that so little is known of are not like those that one learns from: among published values a size that is
    unknown goes with an old or a small model, today with a large one whose maker says nothing. With the copies the
    regression learns what date and kind alone say, and the intervals how little that is."""
    copy = masked(material)
    ids = material.about.index + ENDING
    half = material.about.assign(share=WEIGHT, weight=material.about["weight"] * WEIGHT)
    rows = pd.concat([material.rows, copy.rows.assign(model_id=material.rows["model_id"] + ENDING)], ignore_index=True)
    return material._replace(
        rows=rows,
        bases=pd.concat([material.bases, copy.bases], ignore_index=True),
        own={name: np.concatenate([own, copy.own[name]]) for name, own in material.own.items()},
        about=pd.concat([material.about.assign(share=1.0), half.set_axis(ids)]),
    )


def masked(material: Material) -> Material:
    """The models as if nothing but date, kind and maker were known of them."""
    rows = material.rows.assign(**dict.fromkeys(MEASURED, np.nan))
    rows = rows.assign(dataset_unit=pd.Series(None, index=rows.index, dtype="str"))
    bases = material.bases * np.nan
    own = own_columns(rows, bases)
    return material._replace(rows=rows, bases=bases, own=own, physical=material.physical[:0], alone=material.alone[:0])
