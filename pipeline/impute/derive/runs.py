"""Training runs as power, energy and cost see them, the models with exactly one known kind of chip: columns as plain
arrays, formulas as text, lookup in data/constants.yml by word."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pipeline.config import Constants
from pipeline.impute.flop import formulas
from pipeline.impute.flop.methods.hardware import MOST_HOURS, RATES, peak_rate

# The derived columns are computed on plain arrays: for a thousand rows, a pandas operation takes a hundred times as
# long as its arithmetic, and there are hundreds of them.
Arrays = dict[str, "np.ndarray"]
DAYS_PER_YEAR = 366  # so that no day falls in the next year
PRINTED, PRODUCT, FROM_FLOP = 0, 1, 2  # where chip-hours come from
NUMBERS = {"quantity": "hardware_quantity", "hours": "training_hours", "printed": "chip_hours",
           "flop": "training_compute_flop", "share": "hardware_utilization"}  # fmt: skip
# An agent of these domains alone learns in a simulator, for which its chips wait: its FLOP say nothing of the hours
SIMULATED = ("Games", "Robotics")
NARROW = ("FP8", "MXFP8", "FP4", "NVFP4", "MXFP4")  # formats whose peak the usual utilisation is not a share of
FIELDS = (
    "hardware;chip_hours",
    "hardware;hardware_quantity;training_hours",
    "hardware;training_compute_flop;hardware_utilization;numerical_format",
)


def by_word(name: str, table: Mapping[str, Any]) -> Any:
    """The value for the first word of the table that occurs in the name, else the value for `default`."""
    return next((value for word, value in table.items() if word in name), table["default"])


def texts(template: str, *columns: Iterable[object]) -> np.ndarray:
    """The template filled in with the values of each row; formulas print numbers as {:.4g}."""
    write = template.format
    return np.array([write(*row) for row in zip(*columns, strict=True)], dtype=object)


def subset(columns: Arrays, rows: np.ndarray) -> Arrays:
    """The columns with only those rows (a mask or positions)."""
    return {name: values[rows] for name, values in columns.items()}


def chip_of_model(models: pd.DataFrame, mentions: pd.DataFrame, hardware: pd.DataFrame) -> np.ndarray:
    """For each model the position of its chip in `hardware`; -1 where none or several kinds are known."""
    model = pd.Index(models["model_id"]).get_indexer(mentions["model_id"])
    chip = pd.Index(hardware["hardware_id"]).get_indexer(mentions["hardware_id"])
    known = (model >= 0) & (chip >= 0)
    pairs = np.unique(model[known].astype("int64") * len(hardware) + chip[known])
    model, chip = pairs // len(hardware), pairs % len(hardware)
    found = np.full(len(models), -1)
    found[model] = np.where(np.bincount(model, minlength=len(models))[model] == 1, chip, -1)
    return found


def training_runs(
    models: pd.DataFrame, has_base: np.ndarray, chips: np.ndarray, hardware: pd.DataFrame, constants: Constants
) -> Arrays:
    """row (position in models), chip (name), tdp (W), released, is_tpu, date (days), year (decimal), quantity, hours,
    organizations, and for the chip-hours: chip_hours, basis (PRINTED, PRODUCT or FROM_FLOP), peak, share, flop.

    Chip-hours are the printed ones, else chips × hours, else what the FLOP of a model without a base model take at the
    stated utilisation, or at the usual one of the 16-bit peak; null where the chips would have to do three times the
    FLOP that they can, and from FLOP for agents that learn in a simulator."""
    row = np.flatnonzero((chips >= 0) & models["publication_date"].notna().to_numpy())
    few, about = models.iloc[row], hardware.iloc[chips[row]]
    date = few["publication_date"].to_numpy().astype("datetime64[D]")
    start = date.astype("datetime64[Y]")
    runs: Arrays = {
        "row": row,
        "chip": about["name"].to_numpy(dtype=object),
        "tdp": about["tdp_w"].to_numpy(),
        "released": about["release_date"].to_numpy().astype("datetime64[D]"),
        "is_tpu": (about["type"] == "TPU").to_numpy(dtype="bool"),
        "date": date,
        "year": start.astype("int64") + 1970 + (date - start).astype("int64") / DAYS_PER_YEAR,
        "organizations": few["organizations"].fillna("").to_numpy(dtype=object),
        **{name: few[column].to_numpy() for name, column in NUMBERS.items()},
    }
    rates = few[["numerical_format"]].assign(
        hardware_type=about["type"].array, **{rate: about[rate].array for rate in RATES.values()}
    )
    narrow = rates["numerical_format"].isin(NARROW) & ~(few["hardware_utilization"] <= 1)
    wide = rates.assign(numerical_format=rates["numerical_format"].mask(narrow, "BF16"))
    runs |= {"peak": peak_rate(rates).to_numpy(), "peak_of_share": peak_rate(wide).to_numpy()}
    runs["flop"] = np.where(has_base[row], np.nan, runs["flop"])
    return runs | _chip_hours(runs, few["domains"].isin(SIMULATED).to_numpy(), constants["chip_hours"])


def _chip_hours(runs: Arrays, is_simulated: np.ndarray, about: Mapping[str, float]) -> Arrays:
    product = runs["quantity"] * np.where(runs["hours"] <= MOST_HOURS, runs["hours"], np.nan)
    stated = np.where(np.isnan(runs["printed"]), product, runs["printed"])
    share = np.where(runs["share"] <= 1, runs["share"], about["utilization"])
    worked_out = np.where(is_simulated, np.nan, formulas.chip_hours(runs["flop"], runs["peak_of_share"], share))
    basis = np.select([~np.isnan(runs["printed"]), ~np.isnan(product)], [PRINTED, PRODUCT], FROM_FLOP)
    most = formulas.from_chips(stated, runs["peak"], about["most_utilization"])
    hours = np.where(np.isnan(stated), worked_out, stated)
    return {"chip_hours": np.where(runs["flop"] > most, np.nan, hours), "basis": basis, "share": share}


def hours_texts(runs: Arrays) -> np.ndarray:
    """The chip-hours as a formula prints them."""
    printed, product = (
        texts("{:.4g} chip-hours", runs["printed"]),
        texts("{:.4g} chips × {:.4g} h", runs["quantity"], runs["hours"]),
    )
    from_flop = texts(
        "{:.4g} FLOP ÷ ({:.4g} FLOP/s × {:.4g} × 3600 s/h)", runs["flop"], runs["peak_of_share"], runs["share"]
    )
    return np.choose(runs["basis"], [printed, product, from_flop])


def hours_fields(runs: Arrays) -> np.ndarray:
    """The claimed fields behind the chip-hours, ;-joined."""
    return np.asarray(np.array(FIELDS, dtype=object)[runs["basis"]])


def from_flop_note(runs: Arrays) -> np.ndarray:
    """What is assumed about the chip-hours, to be appended to other assumptions."""
    return np.asarray(np.where(runs["basis"] == FROM_FLOP, ";chip-hours worked out from FLOP", "").astype(object))


def wider(band: np.ndarray, runs: Arrays, constants: Constants) -> np.ndarray:
    """Half-widths in dex, widened by the uncertainty of chip-hours that are derived from FLOP."""
    more = np.where(runs["basis"] == FROM_FLOP, constants["chip_hours"]["band_dex"], 0.0)
    return np.asarray(np.hypot(band, more))
