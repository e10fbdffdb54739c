"""Derives one subject after the other: first what may be estimated, then the columns that follow from all the rest."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pipeline.config import Constants
from pipeline.frames import conform, empty_frame, is_in, significant
from pipeline.impute.derive import cost, eras, power, scaling
from pipeline.impute.derive.eras import frontier_rank
from pipeline.impute.derive.run_ids import training_run_id
from pipeline.impute.derive.runs import Arrays, chip_of_model, subset, training_runs
from pipeline.impute.digits import log10
from pipeline.impute.flop import formulas
from pipeline.impute.flop.methods.hardware import chip_hours_of
from pipeline.impute.flop.rows import input_ids, untrained
from pipeline.normalize.select import who_says
from pipeline.schema import TableSchema

Tables = Mapping[str, "pd.DataFrame"]
EQUIVALENTS = {"a100_hours": "a100_equivalents", "h100_hours": "h100_equivalents"}  # column → that of hardware
OPTIONAL = ("hardware_prices", "price_index", "grid_regions", "supercomputers")
# field: method, unit, and the column that says whose value it is
FIELDS = {
    "training_power_w": ("chip_power", "W", "training_power_source"),
    "training_energy_kwh": ("chip_energy", "kWh", "training_energy_source"),
    "training_carbon_kg": ("grid_intensity", "kg", "training_carbon_source"),
    "training_cost_usd": ("amortized_hardware", "USD", "training_cost_source"),
    "training_cost_cloud_usd": ("cloud_rental", "USD", "training_cost_cloud_source"),
}
INPUTS = ("hardware", "hardware_quantity", "training_hours", "chip_hours", "training_compute_flop", "training_region",
          "hardware_utilization", "numerical_format", "base_model")  # fmt: skip
OF_CLAIMS = ["model_id", "field", "status", "claim_id", "reference", "evidence", "correction"]
PUBLISHED, TAKEN = "a published value exists", "no published value"


def derive(made: Tables, schemas: Mapping[str, TableSchema], constants: Constants) -> dict[str, pd.DataFrame]:
    """The tables with the derived columns in models, and with the rows that these add to estimates.

    Reads model_hardware, hardware, claims and the reference tables; a table that a small checkout lacks counts as
    empty."""
    tables = {name: empty_frame(schemas[name]) for name in OPTIONAL if name not in made} | dict(made)
    models, hardware, claims = (tables[name] for name in ("models", "hardware", "claims"))
    chips, trains = (
        chip_of_model(models, tables["model_hardware"], hardware),
        ~is_in(models["model_id"], untrained(claims)),
    )
    claims = claims.loc[is_in(claims["field"], pd.Series([*INPUTS, *FIELDS])), OF_CLAIMS]
    claims = claims[(claims["status"] == "selected").to_numpy()]
    made_from = claims.loc[(claims["field"] == "base_model").to_numpy(), "model_id"]
    has_base = is_in(models["model_id"], made_from)
    runs = training_runs(models, has_base, chips, hardware, constants)
    results, columns = _estimated(tables, claims, runs, constants)
    rows = estimate_rows(results, models, claims, schemas["estimates"])
    estimates = pd.concat([tables["estimates"], rows]).sort_values("estimate_id", kind="stable", ignore_index=True)
    # of models with one kind of chip: chip-hours as A100 and H100 hours, and the rated power of all chips
    per_chip = {name: np.append(hardware[name].to_numpy(), np.nan)[chips] for name in (*EQUIVALENTS.values(), "tdp_w")}
    columns |= {column: chip_hours_of(models).to_numpy() * per_chip[name] for column, name in EQUIVALENTS.items()}
    columns |= {"hardware_tdp_w": models["hardware_quantity"].to_numpy() * per_chip["tdp_w"]}
    columns |= _columns(tables, columns, runs, has_base, constants)
    columns["training_run_id"][~trains] = None
    return {**made, "models": _with(models, columns, schemas["models"]), "estimates": estimates}


def _with(models: pd.DataFrame, columns: Arrays, table: TableSchema) -> pd.DataFrame:
    """models with the columns added, in the table's order and types."""
    kinds = {"string": "str", "integer": "Int64"}
    typed = {}
    for name, values in columns.items():
        published = significant(values) if values.dtype == "float64" else values
        typed[name] = pd.Series(published, models.index, kinds.get(table.column(name).type, "float64"))
    return pd.DataFrame({name: typed.get(name, models[name]) for name in table.names})


def _estimated(
    tables: Tables, claims: pd.DataFrame, runs: Arrays, constants: Constants
) -> tuple[dict[str, Arrays], Arrays]:
    """The result of each method by field, and the columns of models that they fill."""
    models = tables["models"]
    prices, index = cost.of_sold_chips(tables["hardware_prices"], tables["hardware"], constants), tables["price_index"]
    links = models.set_index("model_id")["reference_url"]
    results: dict[str, Arrays] = {}
    columns: Arrays = {}

    def enter(field: str, made: Arrays) -> None:
        ends = {"value": made["value"], **formulas.interval(made["value"], made["band"])}
        made |= {name: significant(numbers) for name, numbers in ends.items()}
        results[field] = subset(made, ~np.isnan(made["value"]))
        who = who_says(claims[claims["field"] == field], links).reindex(models["model_id"])
        columns.update(fill(models[field].to_numpy(), field, results[field], who.to_numpy()))

    enter("training_power_w", power.estimate_power(runs, constants))
    enter("training_energy_kwh", power.estimate_energy(runs, columns["training_power_w"], constants))
    energy = columns["training_energy_kwh"]
    spread = np.nan_to_num(np.log10(columns["training_energy_kwh_high"] / energy))
    enter("training_carbon_kg", power.estimate_carbon(models, energy, spread, tables["grid_regions"], constants))
    owned, rented = (price(runs, prices, index, constants) for price in (cost.estimate_amortized, cost.estimate_rental))
    enter("training_cost_usd", owned)
    enter("training_cost_cloud_usd", cost.not_below(rented, owned))
    return results, columns


def _columns(tables: Tables, made: Arrays, runs: Arrays, has_base: np.ndarray, constants: Constants) -> Arrays:
    """The columns that are not estimates: nominal cost, frontier, eras, scaling and efficiency."""
    models = tables["models"]
    date, flop = _dates_and_flop(models)
    busy = eras.days_on_first(date, flop, tables["supercomputers"])
    run = training_run_id(models).to_numpy(dtype=object)
    return {
        "run_scope": np.where(has_base, "further", "whole"),
        "training_cost_nominal_usd": made["training_cost_usd"]
        / cost.deflators(date, tables["price_index"], constants["cost"]),
        "days_on_top500_first": busy,
        "training_run_id": run,
        **among_all(models, run, constants),
        "era_economic": eras.era_economic(date, busy, constants["eras"]),
        **scaling.scaling_columns(models, has_base, constants["scaling"]),
        **scaling.efficiency_columns(models, made, runs, has_base),
    }


def among_all(models: pd.DataFrame, run: np.ndarray, constants: Constants) -> Arrays:
    """The columns that compare each model with all others. Reads publication_date, training_compute_flop, its source
    and is_notable; `run` has the training run of each model. As in `trends`, published values alone are compared
    with."""
    date, flop = _dates_and_flop(models)
    ranked = models["is_notable"].to_numpy(dtype="bool") & ~np.isnat(date) & ~np.isnan(flop)
    counted = ranked & (models["training_compute_source"] != "imputed").to_numpy(dtype="bool")
    return {
        "frontier_rank": frontier_rank(date, flop, counted, run),
        "era_compute": eras.era_compute(date, flop, ranked, counted, constants["eras"]),
    }


def _dates_and_flop(models: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    date = models["publication_date"].to_numpy().astype("datetime64[D]")
    return date, models["training_compute_flop"].to_numpy()


def fill(published: np.ndarray, field: str, made: Arrays, who: np.ndarray) -> Arrays:
    """The column of a field with its gaps filled by estimates, their interval, and whose value it is: imputed, or as
    `who` says (see who_says)."""
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
