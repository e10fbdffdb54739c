"""The training runs on one kind of chip, and their power, energy and carbon.

Power in W = chips · TDP · server overhead · PUE, with overhead 1 for a single chip and PUE linear in time (the formula
of epoch.ai/data/ai-models-documentation). Energy in kWh = power · hours · load ÷ 1000, or the power of one chip times
chip-hours (Cottier et al. 2024, arXiv:2405.21015). Carbon in kg of CO2 equivalent = energy · intensity of the grid ÷
1000, where the cloud region of the training is known: location-based, without what the operator offsets.

Every estimate_… takes `runs` (`training_runs`), `filled`, the models with what the estimates before it filled in, and
the tables of reference. It returns by the index of the models: value, band (half-width of the 90 % interval in dex),
formula, assumptions and fields (names of the fields used, ;-joined)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pipeline.config import Constants
from pipeline.frames import Tables
from pipeline.impute.methods.hardware import MOST_HOURS, RATES, peak_rate
from pipeline.impute.results import SECONDS_PER_HOUR

DAYS_PER_YEAR = 366  # so that no day falls in the next year
PRINTED, PRODUCT, FROM_FLOP = 0, 1, 2  # where chip-hours come from, and for each the fields behind them
FIELDS = (
    "hardware;chip_hours",
    "hardware;hardware_quantity;training_hours",
    "hardware;training_compute_flop;hardware_utilization;numerical_format",
)
# An agent of these domains alone learns in a simulator, for which its chips wait: its FLOP say nothing of the hours
SIMULATED = ("Games", "Robotics")
NARROW = ("FP8", "MXFP8", "FP4", "NVFP4", "MXFP4")  # formats whose peak the usual utilisation is not a share of


def by_word(names: pd.Series, table: Mapping[str, Any]) -> pd.Series:
    """The value for the first word of the table that occurs in each name, else the value for `default`."""
    distinct = names.unique()
    found = [next((table[word] for word in table if word in name), table["default"]) for name in distinct]
    return names.map(dict(zip(distinct, found, strict=True)))


def texts(template: str, *columns: Iterable[object]) -> np.ndarray:
    """The template filled in with the values of each row; formulas print numbers as {:.4g}."""
    return np.array([template.format(*row) for row in zip(*columns, strict=True)], dtype=object)


def day_numbers(dates: pd.Series) -> np.ndarray:
    """Days since 1970-01-01; null for no date."""
    days = dates.to_numpy().astype("datetime64[D]")
    return np.where(np.isnat(days), np.nan, days.astype("int64"))


def training_runs(
    models: pd.DataFrame, chips: pd.DataFrame, has_base: np.ndarray, constants: Constants
) -> pd.DataFrame:
    """By the index of the dated models with one kind of chip: chip (name), tdp (W), released, day and start (of the
    training) in days since 1970-01-01, year (decimal), pue, is_tpu, organizations, quantity, hours, peak (FLOP/s),
    chip_hours, basis (PRINTED, PRODUCT or FROM_FLOP), how formulas print them (`time`), the fields behind them, what is
    assumed of them (`note`), and by how much they widen an interval (`hours_dex`). `chips` has the columns of
    `hardware` by the index of `models`.

    Chip-hours are the printed ones, else chips × hours, else what the FLOP of a model without a base model take at the
    stated utilisation, or at the usual one of the 16-bit peak; null where the chips would have to do three times the
    FLOP that they can, and from FLOP for agents that learn in a simulator. Training starts 60 days and its duration
    (the usual one where unknown) before the publication."""
    about, costs, pue = constants["chip_hours"], constants["cost"], constants["power"]["pue"]
    known = (chips["name"].notna() & models["publication_date"].notna()).to_numpy()
    models, chips, has_base = models[known], chips[known], has_base[known]
    date = models["publication_date"].to_numpy().astype("datetime64[D]")
    first = date.astype("datetime64[Y]")
    day = day_numbers(models["publication_date"])
    year = first.astype("int64") + 1970 + (date - first).astype("int64") / DAYS_PER_YEAR
    printed, quantity, hours = (models[name] for name in ("chip_hours", "hardware_quantity", "training_hours"))
    flop, stated = models["training_compute_flop"].mask(has_base), models["hardware_utilization"] <= 1
    share, form = models["hardware_utilization"].where(stated, about["utilization"]), models["numerical_format"]
    rates = chips[[*RATES.values()]].assign(hardware_type=chips["type"], numerical_format=form)
    wide = peak_rate(rates.assign(numerical_format=form.mask(form.isin(NARROW) & ~stated, "BF16")))
    peak, product = peak_rate(rates), quantity * hours.where(hours <= MOST_HOURS)
    chip_hours = printed.fillna(product)
    most = chip_hours * SECONDS_PER_HOUR * peak * about["most_utilization"]
    worked_out = (flop / (wide * SECONDS_PER_HOUR * share)).mask(models["domains"].isin(SIMULATED))
    basis = np.select([printed.notna(), product.notna()], [PRINTED, PRODUCT], FROM_FLOP)
    times = [
        texts("{:.4g} chip-hours", printed),
        texts("{:.4g} chips × {:.4g} h", quantity, hours),
        texts("{:.4g} FLOP ÷ ({:.4g} FLOP/s × {:.4g} × 3600 s/h)", flop, wide, share),
    ]
    columns = {
        "chip": chips["name"],
        "tdp": chips["tdp_w"],
        "released": day_numbers(chips["release_date"]),
        "is_tpu": (chips["type"] == "TPU").astype("bool"),
        "day": day,
        "start": day - hours.fillna(costs["usual_training_hours"]) // 24 - costs["days_before_publication"],
        "year": year,
        "pue": np.maximum(pue["value"] + pue["change_per_year"] * (year - pue["year"]), 1),
        "organizations": models["organizations"].fillna(""),
        "quantity": quantity,
        "peak": peak,
        "chip_hours": chip_hours.fillna(worked_out).mask(flop > most),
        "basis": basis,
        "time": np.choose(basis, times),
        "fields": np.array(FIELDS, dtype=object)[basis],
        "note": np.where(basis == FROM_FLOP, ";chip-hours worked out from FLOP", "").astype(object),
        "hours_dex": np.where(basis == FROM_FLOP, about["band_dex"], 0.0),
    }
    return pd.DataFrame(columns, models.index)


def estimate_power(runs: pd.DataFrame, filled: pd.DataFrame, tables: Tables, constants: Constants) -> pd.DataFrame:
    """W, for the runs whose chips and rated power are known."""
    rows = runs[(runs["quantity"] * runs["tdp"]).notna()]
    about, several, pue = constants["power"], rows["quantity"] != 1, rows["pue"]
    overhead = pd.Series(np.where(several, about["server_overhead"], 1.0), rows.index)
    assumed = texts("{:.4g} W of the server per W of its chips;PUE {:.4g}", overhead, pue)
    columns = {
        "value": rows["quantity"] * rows["tdp"] * overhead * pue,
        "band": np.where(several, about["band_dex"], about["one_chip_band_dex"]),
        "formula": texts("{:.4g} chips × {:.4g} W × {:.4g} × PUE {:.4g}", rows["quantity"], rows["tdp"], overhead, pue),
        "assumptions": np.where(several, assumed, texts("no server around a single chip;PUE {:.4g}", pue)),
        "fields": "hardware;hardware_quantity",
    }
    return pd.DataFrame(columns, rows.index)


def estimate_energy(runs: pd.DataFrame, filled: pd.DataFrame, tables: Tables, constants: Constants) -> pd.DataFrame:
    """kWh, for the runs whose chip-hours are known."""
    about, load, bands = constants["power"], constants["energy"]["load"], constants["energy"]["load_band_dex"]
    drawn = filled["training_power_w"][runs.index] / runs["quantity"]
    each = drawn.fillna(runs["tdp"] * about["server_overhead"] * runs["pue"])
    rows = runs[(runs["chip_hours"] * each).notna()]
    each, stated = each[rows.index], drawn[rows.index].notna()
    mean = np.where(rows["is_tpu"], load["TPU"], load["default"])
    of_power = np.where(rows["quantity"] == 1, about["one_chip_band_dex"], about["band_dex"])
    band = np.hypot(np.where(rows["is_tpu"], bands["TPU"], bands["default"]), of_power)
    columns = {
        "value": rows["chip_hours"] * each * mean / 1000,
        "band": np.hypot(band, rows["hours_dex"]),
        "formula": rows["time"] + " × " + texts("{:.4g} W per chip × load {:.4g} ÷ 1000", each, mean),
        "assumptions": texts("mean load {:.4g} of the rated power", mean) + rows["note"],
        "fields": rows["fields"] + np.where(stated, ";training_power_w", "").astype(object),
    }
    return pd.DataFrame(columns, rows.index)


def estimate_carbon(runs: pd.DataFrame, filled: pd.DataFrame, tables: Tables, constants: Constants) -> pd.DataFrame:
    """kg of CO2 equivalent, for the models whose energy and cloud region are known; as unsure as both."""
    regions = tables["grid_regions"].set_index("region_id")["carbon_intensity_g_per_kwh"]
    grams, energy = filled["training_region"].map(regions).astype("float64"), filled["training_energy_kwh"]
    rows = filled[(grams * energy).notna()]
    grams, energy = grams[rows.index], energy[rows.index]
    spread = np.nan_to_num(np.log10(rows["training_energy_kwh_high"] / energy))  # 0 where a source states it
    columns = {
        "value": energy * grams / 1000,
        "band": np.hypot(spread, constants["carbon"]["band_dex"]),
        "formula": texts("{:.4g} kWh × {:.4g} g/kWh ÷ 1000", energy, grams),
        "assumptions": texts("mean intensity of the grid of {}", rows["training_region"]),
        "fields": "training_region;training_energy_kwh",
    }
    return pd.DataFrame(columns, rows.index)
