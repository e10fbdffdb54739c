"""Rows of the table estimates for power, energy, carbon and cost, and what they fill in models.

A source's value stays; an estimate stands in models only where there is none, with its interval and the word imputed.
Only rows with a value are kept: every model without chips would need four that say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pipeline.estimate.rows import input_ids
from pipeline.schema import TableSchema, conform

if TYPE_CHECKING:
    import pandas as pd

# field: method, unit, and the column that says whose value it is
FIELDS = {
    "training_power_w": ("chip_power", "W", "training_power_source"),
    "training_energy_kwh": ("chip_energy", "kWh", "training_energy_source"),
    "training_carbon_kg": ("grid_intensity", "kg", "training_carbon_source"),
    "training_cost_usd": ("amortized_hardware", "USD", "training_cost_source"),
    "training_cost_cloud_usd": ("cloud_rental", "USD", "training_cost_cloud_source"),
}
PUBLISHED, TAKEN = "a published value exists", "no published value"


def with_interval(made: pd.DataFrame) -> pd.DataFrame:
    """The result of a method with low and high: value ÷ and × 10^band. All with twelve significant digits, since powers
    may differ in the last bit between machines."""
    ends = {
        "value": made["value"],
        "low": made["value"] / 10 ** made["band"],
        "high": made["value"] * 10 ** made["band"],
    }
    return made.assign(**{name: significant(numbers) for name, numbers in ends.items()})


def significant(values: pd.Series) -> pd.Series:
    """Numbers with twelve significant digits."""
    import pandas as pd

    return pd.Series([float(f"{value:.12g}") for value in values], index=values.index, dtype="float64")


def fill(models: pd.DataFrame, field: str, made: pd.DataFrame) -> pd.DataFrame:
    """models with the estimates of a field put into its gaps, their interval, and whose value it is."""
    import pandas as pd

    missing = models[field].isna()
    taken = made.reindex(models.index)
    source = pd.Series("third_party", index=models.index, dtype="str").where(~missing, "imputed")
    value = models[field].where(~missing, taken["value"])
    interval = {f"{field}_{end}": taken[end].where(missing) for end in ("low", "high")}
    return models.assign(**{field: value, FIELDS[field][2]: source.where(value.notna())}, **interval)


def estimate_rows(
    made: Mapping[str, pd.DataFrame], models: pd.DataFrame, claims: pd.DataFrame, table: TableSchema
) -> pd.DataFrame:
    """Rows of `estimates` from the results by field; `models` holds the published values, before they were filled."""
    import numpy as np
    import pandas as pd

    parts = []
    for field, rows in made.items():
        method, unit, _ = FIELDS[field]
        published = models[field].reindex(rows.index)
        free = published.isna()
        parts.append(
            rows.assign(
                estimate_id=rows["model_id"] + ":" + field + ":" + method,
                field=field,
                method=method,
                unit=unit,
                is_selected=free,
                reason=free.map({True: TAKEN, False: PUBLISHED}),
                disagreement_dex=np.log10(rows["value"] / published).round(9),
            )
        )
    together = pd.concat(parts, ignore_index=True)
    return conform(together.assign(inputs=_inputs(together, claims)), table)


def _inputs(rows: pd.DataFrame, claims: pd.DataFrame) -> pd.Series:
    """The selected claims behind the fields of each row, and for a field that was estimated itself its estimate."""
    ids = input_ids(rows, claims).fillna("")
    behind = rows.loc[rows["is_selected"], ["model_id", "field", "estimate_id"]]
    for field in FIELDS:
        estimated = behind[behind["field"] == field].set_index("model_id")["estimate_id"]
        uses = (";" + rows["fields"] + ";").str.contains(f";{field};", regex=False)
        own = rows["model_id"].where(uses).map(estimated).astype("str")
        ids = (ids + (";" + own).fillna("")).str.strip(";")
    return ids
