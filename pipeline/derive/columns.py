"""Calls one subject after the other: first what may be estimated, then the columns that follow from everything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pipeline.derive import cost, eras, power, scaling
from pipeline.derive.constants import Constants
from pipeline.derive.estimates import estimate_rows, fill, with_interval
from pipeline.derive.frontier import frontier_rank
from pipeline.derive.runs import training_runs
from pipeline.schema import TableSchema

if TYPE_CHECKING:
    import pandas as pd


def derive(
    made: Mapping[str, pd.DataFrame], schemas: Mapping[str, TableSchema], constants: Constants
) -> dict[str, pd.DataFrame]:
    """The tables with the derived columns of models and hardware, and with the rows that they add to estimates.

    Reads model_hardware, hardware, hardware_prices, price_index, grid_regions, supercomputers and claims; a table that
    a small checkout does not have counts as empty."""
    import pandas as pd

    published, claims = made["models"], made["claims"]
    tables = {
        name: made.get(name, _empty(schemas[name]))
        for name in ("hardware_prices", "price_index", "grid_regions", "supercomputers")
    }
    models, results = _estimated(published, made, tables, constants)
    rows = estimate_rows(results, published, claims, schemas["estimates"])
    estimates = pd.concat([made["estimates"], rows]).sort_values("estimate_id", kind="stable", ignore_index=True)
    hardware = made["hardware"].assign(**scaling.equivalent_columns(made["hardware"], constants["equivalents"]))
    models = models.assign(**_columns(models, tables, claims, constants))
    models = models.assign(**_chip_equivalents(models, made["model_hardware"], hardware))
    return {**made, "models": models[schemas["models"].names], "estimates": estimates, "hardware": hardware}


def _empty(table: TableSchema) -> pd.DataFrame:
    from pipeline.schema import empty_frame

    return empty_frame(table)


def _estimated(
    models: pd.DataFrame, made: Mapping[str, pd.DataFrame], tables: Mapping[str, pd.DataFrame], constants: Constants
) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """models with the gaps filled, and the result of each method by field."""
    runs = training_runs(models, made["claims"], made["model_hardware"], made["hardware"], constants)
    prices, index = tables["hardware_prices"], tables["price_index"]
    results = {"training_power_w": with_interval(power.estimate_power(runs, constants))}
    models = fill(models, "training_power_w", results["training_power_w"])
    drawn = models["training_power_w"].reindex(runs.index)
    results["training_energy_kwh"] = with_interval(power.estimate_energy(runs, drawn, constants))
    models = fill(models, "training_energy_kwh", results["training_energy_kwh"])
    results["training_carbon_kg"] = with_interval(power.estimate_carbon(models, tables["grid_regions"]))
    models = fill(models, "training_carbon_kg", results["training_carbon_kg"])
    if len(index):
        results["training_cost_usd"] = with_interval(cost.estimate_amortized(runs, prices, index, constants))
        results["training_cost_cloud_usd"] = with_interval(cost.estimate_rental(runs, prices, index, constants))
    for field in ("training_cost_usd", "training_cost_cloud_usd"):
        models = fill(models, field, results.get(field, results["training_carbon_kg"].iloc[:0]))
    return models, results


def _columns(
    models: pd.DataFrame, tables: Mapping[str, pd.DataFrame], claims: pd.DataFrame, constants: Constants
) -> dict[str, pd.Series]:
    days = eras.days_on_first(models, tables["supercomputers"])
    index, made_from = tables["price_index"], claims.loc[claims["field"] == "base_model", "model_id"]
    has_base = models["model_id"].map(dict.fromkeys(made_from, True)).notna()
    of_year = cost.deflators(models["publication_date"], index, constants["cost"]) if len(index) else float("nan")
    return {
        "training_cost_nominal_usd": models["training_cost_usd"] / of_year,
        "frontier_rank": frontier_rank(models),
        "era_compute": eras.era_compute(models, constants["eras"]),
        "era_economic": eras.era_economic(models, days, constants["eras"]),
        "days_on_top500_first": days,
        **scaling.scaling_columns(models, constants["scaling"]),
        **scaling.efficiency_columns(models, has_base),
    }


def _chip_equivalents(models: pd.DataFrame, mentions: pd.DataFrame, hardware: pd.DataFrame) -> dict[str, pd.Series]:
    """Chip-hours (printed, else chips × hours) of the one kind of chip in hours of A100 and of H100."""
    kinds = mentions[["model_id", "hardware_id"]].dropna().drop_duplicates()
    single = kinds[~kinds["model_id"].duplicated(keep=False)].set_index("model_id")["hardware_id"]
    chip, by_id = models["model_id"].map(single), hardware.set_index("hardware_id")
    hours = models["chip_hours"].fillna(models["hardware_quantity"] * models["training_hours"])
    return {f"{name}_hours": hours * chip.map(by_id[f"{name}_equivalents"]) for name in ("a100", "h100")}
