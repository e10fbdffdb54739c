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
from pipeline.impute.derive.arrays import Arrays
from pipeline.impute.flop import formulas
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
COLUMNS = ("row", "value", "band", "formula", "assumptions", "fields")


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
    names = (*COLUMNS, "low", "high")
    joined = {name: np.concatenate([made[name] for made in results.values()]) for name in names}
    sizes = [len(made["row"]) for made in results.values()]
    said = {
        "field": np.repeat(np.array(list(results), dtype=object), sizes),
        "method": np.repeat(np.array([FIELDS[field][0] for field in results], dtype=object), sizes),
        "unit": np.repeat(np.array([FIELDS[field][1] for field in results], dtype=object), sizes),
        "published": np.concatenate([models[field].to_numpy()[made["row"]] for field, made in results.items()]),
    }
    free = np.isnan(said["published"])
    ids = models["model_id"].to_numpy(dtype=object)[joined["row"]]
    rows = joined | said | {"model_id": ids, "is_selected": free}
    rows["estimate_id"] = ids + ":" + rows["field"] + ":" + rows["method"]
    rows["reason"] = np.array([PUBLISHED, TAKEN], dtype=object)[free.astype("int64")]
    rows["disagreement_dex"] = log10(rows["value"] / rows["published"])
    rows["inputs"] = _inputs(rows, models, claims)
    columns = {name: values for name, values in rows.items() if name in table.names}
    return conform(pd.DataFrame(columns), table)


def _inputs(rows: Arrays, models: pd.DataFrame, claims: pd.DataFrame) -> np.ndarray:
    """The ids of the selected claims behind the fields of each row, or of the estimate for a field that has none."""
    combinations, which = np.unique(rows["fields"].astype("str"), return_inverse=True)
    used = [combination.split(";") for combination in combinations]
    needed = sorted({field for fields in used for field in fields})
    ids = _claim_ids(needed, models, claims)
    for field in FIELDS:
        if field in ids:
            own = rows["is_selected"] & (rows["field"] == field)
            ids[field][rows["row"][own]] = ";" + rows["estimate_id"][own]
    made = np.full(len(which), "", dtype=object)
    for code, fields in enumerate(used):
        chosen = which == code
        for field in fields:
            made[chosen] += ids[field][rows["row"][chosen]]
    stripped: np.ndarray = pd.Series(made, dtype="str").str.strip(";").to_numpy(dtype=object)
    return stripped


def _claim_ids(fields: list[str], models: pd.DataFrame, claims: pd.DataFrame) -> Arrays:
    """By field: for each model a semicolon and the id of its selected claim, or an empty text."""
    place = pd.Index(models["model_id"]).get_indexer(claims["model_id"])
    texts = ";" + claims["claim_id"].to_numpy(dtype=object)
    names = claims["field"].to_numpy(dtype=object)
    ids = {}
    for field in fields:
        ids[field] = np.full(len(models), "", dtype=object)
        rows = (names == field) & (place >= 0)
        ids[field][place[rows]] = texts[rows]
    return ids
