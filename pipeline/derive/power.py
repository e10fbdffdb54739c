"""Power, energy and carbon of a training run.

Power in W = chips · TDP · server overhead · PUE, with overhead 1 for a single chip and PUE a line in time (the formula of
epoch.ai/data/ai-models-documentation). Energy in kWh = power · hours · load ÷ 1000, or the power of one chip times
chip-hours (Cottier et al. 2024, arXiv:2405.21015). Carbon in kg of CO2 equivalent = energy · intensity of the grid ÷
1000, where the cloud region of the training is known: location-based, without what the operator offsets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.derive.constants import Constants, by_word
from pipeline.derive.runs import hours_fields, hours_text
from pipeline.estimate.result import written

if TYPE_CHECKING:
    import pandas as pd


def usage_effectiveness(year: pd.Series, constants: Constants) -> pd.Series:
    """PUE of a usual large data centre by decimal year."""
    pue = constants["power"]["pue"]
    line: pd.Series = pue["value"] + pue["change_per_year"] * (year - pue["year"])
    return line.clip(lower=1)


def estimate_power(runs: pd.DataFrame, constants: Constants) -> pd.DataFrame:
    """value (W), band (dex), formula, assumptions, fields of the runs whose chips, rated power and date are known."""
    rows = runs[(runs["hardware_quantity"] * runs["tdp_w"] * runs["year"]).notna()]
    about, several = constants["power"], rows["hardware_quantity"] != 1
    overhead = several.map({True: about["server_overhead"], False: 1.0})
    pue = usage_effectiveness(rows["year"], constants)
    text = written(rows["hardware_quantity"]) + " chips × " + written(rows["tdp_w"]) + " W × "
    assumed = written(overhead) + " W per W of the chips;PUE " + written(pue)
    return rows[["model_id"]].assign(
        value=rows["hardware_quantity"] * rows["tdp_w"] * overhead * pue,
        band=several.map({True: about["band_dex"], False: about["one_chip_band_dex"]}),
        formula=text + written(overhead) + " × PUE " + written(pue),
        assumptions=assumed.where(several, "no server overhead of a single chip;PUE " + written(pue)),
        fields="hardware;hardware_quantity",
    )


def estimate_energy(runs: pd.DataFrame, power: pd.Series, constants: Constants) -> pd.DataFrame:
    """The same in kWh, of the runs whose chip-hours are known; `power` is training_power_w on the index of runs."""
    each = power / runs["hardware_quantity"]
    about = constants["power"]
    rated = runs["tdp_w"] * about["server_overhead"] * usage_effectiveness(runs["year"], constants)
    rows = runs[(runs["chip_hours"] * each.fillna(rated)).notna()]
    each, rated = each.reindex(rows.index), rated.reindex(rows.index)
    load = by_word(_kind(rows), constants["energy"]["load"])
    by_tdp = (
        written(rows["tdp_w"])
        + f" W × {about['server_overhead']} × PUE "
        + written(rated / rows["tdp_w"] / about["server_overhead"])
    )
    by_power = written(each) + " W per chip"
    band = by_word(_kind(rows), constants["energy"]["load_band_dex"])
    band = (band**2 + about["band_dex"] ** 2 + rows["from_flop"] * constants["chip_hours"]["band_dex"] ** 2) ** 0.5
    used = hours_fields(rows)
    return rows[["model_id"]].assign(
        value=rows["chip_hours"] * each.fillna(rated) * load / 1000,
        band=band,
        formula=hours_text(rows)
        + " × "
        + by_power.where(each.notna(), by_tdp)
        + " × load "
        + written(load)
        + " ÷ 1000",
        assumptions=_assumed(rows, load),
        fields=used.where(each.isna(), used + ";training_power_w"),
    )


def _kind(rows: pd.DataFrame) -> pd.Series:
    return rows["is_tpu"].map({True: "TPU", False: "other"})


def _assumed(rows: pd.DataFrame, load: pd.Series) -> pd.Series:
    mean = "mean load " + written(load) + " of the rated power"
    return mean.where(~rows["from_flop"], mean + ";chip-hours worked out from FLOP")


def estimate_carbon(models: pd.DataFrame, regions: pd.DataFrame) -> pd.DataFrame:
    """The same in kg of CO2 equivalent, of the models whose energy and cloud region are known."""
    intensity = models["training_region"].map(regions.set_index("region_id")["carbon_intensity_g_per_kwh"])
    rows = models[(intensity * models["training_energy_kwh"]).notna()]
    grams = intensity.reindex(rows.index)
    ratio = (rows["training_energy_kwh_high"] / rows["training_energy_kwh_low"]).fillna(1)
    return rows[["model_id"]].assign(
        value=rows["training_energy_kwh"] * grams / 1000,
        band=ratio.map(_half_decades),
        formula=written(rows["training_energy_kwh"]) + " kWh × " + written(grams) + " g/kWh ÷ 1000",
        assumptions="intensity of the grid of " + rows["training_region"] + ", not of the hour",
        fields="training_region;training_energy_kwh",
    )


def _half_decades(ratio: float) -> float:
    """Half-width in dex of an interval with this ratio of its ends, and 0.1 for the intensity of the grid."""
    from math import hypot, log10

    return hypot(log10(ratio) / 2, 0.1)
