"""Power, energy and carbon of a training run.

Power in W = chips · TDP · server overhead · PUE, with overhead 1 for a single chip and PUE linear in time (the formula
of epoch.ai/data/ai-models-documentation). Energy in kWh = power · hours · load ÷ 1000, or the power of one chip times
chip-hours (Cottier et al. 2024, arXiv:2405.21015). Carbon in kg of CO2 equivalent = energy · intensity of the grid ÷
1000, where the cloud region of the training is known: location-based, without what the operator offsets.

Every estimate_… returns row (position in models), value, band (half-width of the 90 % interval in dex), formula,
assumptions and fields (names of the fields used, ;-joined).
"""

import numpy as np
import pandas as pd

from pipeline.config import Constants
from pipeline.impute.derive.runs import Arrays, from_flop_note, hours_fields, hours_texts, subset, texts, wider


def usage_effectiveness(year: np.ndarray, constants: Constants) -> np.ndarray:
    """PUE of a typical large data centre, by decimal year."""
    pue = constants["power"]["pue"]
    return np.asarray(np.maximum(pue["value"] + pue["change_per_year"] * (year - pue["year"]), 1.0))


def estimate_power(runs: Arrays, constants: Constants) -> Arrays:
    """W, for the runs whose chips and rated power are known."""
    rows = subset(runs, ~np.isnan(runs["quantity"] * runs["tdp"]))
    about, several = constants["power"], rows["quantity"] != 1
    overhead = np.where(several, about["server_overhead"], 1.0)
    pue = usage_effectiveness(rows["year"], constants)
    numbers = [column.tolist() for column in (rows["quantity"], rows["tdp"], overhead, pue)]
    assumed = texts("{:.4g} W of the server per W of its chips;PUE {:.4g}", *numbers[2:])
    assumed[~several] = texts("no server around a single chip;PUE {:.4g}", pue[~several].tolist())
    return {
        "row": rows["row"],
        "value": rows["quantity"] * rows["tdp"] * overhead * pue,
        "band": np.where(several, about["band_dex"], about["one_chip_band_dex"]),
        "formula": texts("{:.4g} chips × {:.4g} W × {:.4g} × PUE {:.4g}", *numbers),
        "assumptions": assumed,
        "fields": np.full(len(several), "hardware;hardware_quantity", dtype=object),
    }


def estimate_energy(runs: Arrays, power: np.ndarray, constants: Constants) -> Arrays:
    """kWh, for the runs whose chip-hours are known; `power` is training_power_w of all models."""
    about, load = constants["power"], constants["energy"]["load"]
    drawn = power[runs["row"]] / runs["quantity"]
    rated = runs["tdp"] * about["server_overhead"] * usage_effectiveness(runs["year"], constants)
    each = np.where(np.isnan(drawn), rated, drawn)
    known = ~np.isnan(runs["chip_hours"] * each)
    rows, each, stated = subset(runs, known), each[known], ~np.isnan(drawn[known])
    mean = np.where(rows["is_tpu"], load["TPU"], load["default"])
    bands = constants["energy"]["load_band_dex"]
    of_power = np.where(rows["quantity"] == 1, about["one_chip_band_dex"], about["band_dex"])
    band = np.hypot(np.where(rows["is_tpu"], bands["TPU"], bands["default"]), of_power)
    per_chip = texts("{:.4g} W per chip × load {:.4g} ÷ 1000", each.tolist(), mean.tolist())
    return {
        "row": rows["row"],
        "value": rows["chip_hours"] * each * mean / 1000,
        "band": wider(band, rows, constants),
        "formula": hours_texts(rows) + " × " + per_chip,
        "assumptions": texts("mean load {:.4g} of the rated power", mean.tolist()) + from_flop_note(rows),
        "fields": hours_fields(rows) + np.where(stated, ";training_power_w", "").astype(object),
    }


def estimate_carbon(
    models: pd.DataFrame, energy: np.ndarray, spread: np.ndarray, regions: pd.DataFrame, constants: Constants
) -> Arrays:
    """kg of CO2 equivalent, for the models whose cloud region is known. `spread` is the half-width of the interval of
    energy in dex, 0 where a source states it."""
    intensity = models["training_region"].map(regions.set_index("region_id")["carbon_intensity_g_per_kwh"])
    grams = intensity.to_numpy(dtype="float64")
    row = np.flatnonzero(~np.isnan(grams * energy))
    region = models["training_region"].to_numpy(dtype=object)[row]
    numbers = energy[row].tolist(), grams[row].tolist()
    return {
        "row": row,
        "value": energy[row] * grams[row] / 1000,
        "band": np.hypot(spread[row], constants["carbon"]["band_dex"]),
        "formula": texts("{:.4g} kWh × {:.4g} g/kWh ÷ 1000", *numbers),
        "assumptions": texts("mean intensity of the grid of {}", region),
        "fields": np.full(len(row), "training_region;training_energy_kwh", dtype=object),
    }
