"""Power, energy and carbon of a training run.

Power in W = chips · TDP · server overhead · PUE, with overhead 1 for a single chip and PUE linear in time (the formula
of epoch.ai/data/ai-models-documentation). Energy in kWh = power · hours · load ÷ 1000, or the power of one chip times
chip-hours (Cottier et al. 2024, arXiv:2405.21015). Carbon in kg of CO2 equivalent = energy · intensity of the grid ÷
1000, where the cloud region of the training is known: location-based, without what the operator offsets.

Every estimate_… takes `runs` (see chips.py), `filled`, the models with what the estimates before it filled in, and the
tables of reference. It returns by the index of the models: value, band (half-width of the 90 % interval in dex),
formula, assumptions and fields (names of the fields used, ;-joined).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pipeline.config import Constants
from pipeline.impute.chips import texts

Tables = Mapping[str, pd.DataFrame]


def usage_effectiveness(year: pd.Series, constants: Constants) -> pd.Series:
    """PUE of a typical large data centre, by decimal year."""
    pue = constants["power"]["pue"]
    linear: pd.Series = pue["value"] + pue["change_per_year"] * (year - pue["year"])
    return linear.clip(lower=1.0)


def estimate_power(runs: pd.DataFrame, filled: pd.DataFrame, tables: Tables, constants: Constants) -> pd.DataFrame:
    """W, for the runs whose chips and rated power are known."""
    rows = runs[(runs["quantity"] * runs["tdp"]).notna()]
    about, several, pue = constants["power"], rows["quantity"] != 1, usage_effectiveness(rows["year"], constants)
    overhead = pd.Series(np.where(several, about["server_overhead"], 1.0), rows.index)
    assumed = texts("{:.4g} W of the server per W of its chips;PUE {:.4g}", overhead, pue)
    alone = texts("no server around a single chip;PUE {:.4g}", pue)
    made = {
        "value": rows["quantity"] * rows["tdp"] * overhead * pue,
        "band": np.where(several, about["band_dex"], about["one_chip_band_dex"]),
        "formula": texts("{:.4g} chips × {:.4g} W × {:.4g} × PUE {:.4g}", rows["quantity"], rows["tdp"], overhead, pue),
        "assumptions": np.where(several, assumed, alone),
        "fields": "hardware;hardware_quantity",
    }
    return pd.DataFrame(made, rows.index)


def estimate_energy(runs: pd.DataFrame, filled: pd.DataFrame, tables: Tables, constants: Constants) -> pd.DataFrame:
    """kWh, for the runs whose chip-hours are known."""
    about, load, bands = constants["power"], constants["energy"]["load"], constants["energy"]["load_band_dex"]
    drawn = filled["training_power_w"][runs.index] / runs["quantity"]
    each = drawn.fillna(runs["tdp"] * about["server_overhead"] * usage_effectiveness(runs["year"], constants))
    rows = runs[(runs["chip_hours"] * each).notna()]
    each, stated = each[rows.index], drawn[rows.index].notna()
    mean = np.where(rows["is_tpu"], load["TPU"], load["default"])
    of_power = np.where(rows["quantity"] == 1, about["one_chip_band_dex"], about["band_dex"])
    band = np.hypot(np.where(rows["is_tpu"], bands["TPU"], bands["default"]), of_power)
    made = {
        "value": rows["chip_hours"] * each * mean / 1000,
        "band": np.hypot(band, rows["hours_dex"]),
        "formula": rows["time"] + " × " + texts("{:.4g} W per chip × load {:.4g} ÷ 1000", each, mean),
        "assumptions": texts("mean load {:.4g} of the rated power", mean) + rows["note"],
        "fields": rows["fields"] + np.where(stated, ";training_power_w", "").astype(object),
    }
    return pd.DataFrame(made, rows.index)


def estimate_carbon(runs: pd.DataFrame, filled: pd.DataFrame, tables: Tables, constants: Constants) -> pd.DataFrame:
    """kg of CO2 equivalent, for the models whose energy and cloud region are known; as unsure as the energy and the
    intensity of the grid."""
    regions = tables["grid_regions"].set_index("region_id")["carbon_intensity_g_per_kwh"]
    grams, energy = filled["training_region"].map(regions).astype("float64"), filled["training_energy_kwh"]
    rows = filled[(grams * energy).notna()]
    grams, energy = grams[rows.index], energy[rows.index]
    spread = np.nan_to_num(np.log10(rows["training_energy_kwh_high"] / energy))  # 0 where a source states it
    made = {
        "value": energy * grams / 1000,
        "band": np.hypot(spread, constants["carbon"]["band_dex"]),
        "formula": texts("{:.4g} kWh × {:.4g} g/kWh ÷ 1000", energy, grams),
        "assumptions": texts("mean intensity of the grid of {}", rows["training_region"]),
        "fields": "training_region;training_energy_kwh",
    }
    return pd.DataFrame(made, rows.index)
