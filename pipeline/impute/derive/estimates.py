"""Rows of the table estimates for power, energy, carbon and cost, and the gaps in models that they fill.

A source's value stays; models has an estimate only where there is none, with its interval and marked as imputed.
Only rows with a value are kept: otherwise every model without chips would need five that say so.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pipeline.base.columnar import is_in
from pipeline.base.digits import log10, significant
from pipeline.impute.derive.runs import Arrays
from pipeline.impute.flop import formulas
from pipeline.impute.flop.rows import input_ids
from pipeline.registry.frames import conform
from pipeline.registry.schema import TableSchema

# field: method, unit, and the column that says whose value it is
FIELDS = {
    "training_power_w": ("chip_power", "W", "training_power_source"),
    "training_energy_kwh": ("chip_energy", "kWh", "training_energy_source"),
    "training_carbon_kg": ("grid_intensity", "kg", "training_carbon_source"),
    "training_cost_usd": ("amortized_hardware", "USD", "training_cost_source"),
    "training_cost_cloud_usd": ("cloud_rental", "USD", "training_cost_cloud_source"),
}
INPUTS = (
    "hardware",
    "hardware_quantity",
    "training_hours",
    "chip_hours",
    "training_compute_flop",
    "training_region",
    "hardware_utilization",
    "numerical_format",
    "base_model",
)
PUBLISHED, TAKEN = "a published value exists", "no published value"


def selected_claims(claims: pd.DataFrame) -> pd.DataFrame:
    """model_id, field, claim_id, reference, evidence and correction of the selected claims about the fields behind the derived
    columns."""
    of_fields = is_in(claims["field"], pd.Series([*INPUTS, *FIELDS]))
    chosen = claims[["model_id", "field", "status", "claim_id", "reference", "evidence", "correction"]][of_fields]
    return chosen[(chosen["status"] == "selected").to_numpy()]


def with_interval(made: Arrays) -> Arrays:
    """The result of a method with low and high, which are value ÷ 10^band and value × 10^band."""
    ends = {"value": made["value"], **formulas.interval(made["value"], made["band"])}
    return made | {name: significant(numbers) for name, numbers in ends.items()}


def fill(published: np.ndarray, field: str, made: Arrays, who: np.ndarray) -> Arrays:
    """The column of a field with its gaps filled by estimates, their interval, and whose value it is: imputed, or as `who`
    says (see who_says)."""
    taken = {name: np.full(len(published), np.nan) for name in ("value", "low", "high")}
    for name, column in taken.items():
        column[made["row"]] = made[name]
    missing = np.isnan(published)
    value = np.where(missing, taken["value"], published)
    said = np.where(missing, "imputed", who).astype(object)
    said[np.isnan(value)] = None
    return {
        field: value,
        f"{field}_low": np.where(missing, taken["low"], np.nan),
        f"{field}_high": np.where(missing, taken["high"], np.nan),
        FIELDS[field][2]: said,
    }


def estimate_rows(
    results: Mapping[str, Arrays], models: pd.DataFrame, claims: pd.DataFrame, table: TableSchema
) -> pd.DataFrame:
    """Rows of `estimates` from the results by field; `models` has the published values, before any gaps were filled."""
    parts = []
    for field, made in results.items():
        method, unit, _ = FIELDS[field]
        part = pd.DataFrame(made).assign(field=field, method=method, unit=unit)
        parts.append(part.assign(published=models[field].to_numpy()[made["row"]]))
    rows = pd.concat(parts, ignore_index=True)
    rows = rows.assign(model_id=models["model_id"].array[rows["row"]], is_selected=rows["published"].isna())
    rows = rows.assign(
        estimate_id=rows["model_id"] + ":" + rows["field"] + ":" + rows["method"],
        reason=rows["is_selected"].map({True: TAKEN, False: PUBLISHED}),
        disagreement_dex=log10(rows["value"] / rows["published"]),
    )
    own = rows[rows["is_selected"]].assign(status="selected", claim_id=rows["estimate_id"])
    return conform(rows.assign(inputs=input_ids(rows, pd.concat([claims, own])).fillna("")), table)
