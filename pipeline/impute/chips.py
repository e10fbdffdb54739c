"""The training runs with exactly one known kind of chip, as power, energy and cost see them; texts of formulas, and
lookup in data/constants.yml by word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pipeline.config import Constants
from pipeline.impute.methods.hardware import MOST_HOURS, RATES, peak_rate
from pipeline.impute.results import SECONDS_PER_HOUR

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


def by_word(names: pd.Series, table: Mapping[str, Any]) -> pd.Series:
    """The value for the first word of the table that occurs in each name, else the value for `default`."""
    found = {name: next((value for word, value in table.items() if word in name), table["default"])
             for name in names.unique()}  # fmt: skip
    return names.map(found)


def texts(template: str, *columns: Iterable[object]) -> np.ndarray:
    """The template filled in with the values of each row; formulas print numbers as {:.4g}."""
    return np.array([template.format(*row) for row in zip(*columns, strict=True)], dtype=object)


def day_numbers(dates: pd.Series) -> np.ndarray:
    """Days since 1970-01-01; null for no date."""
    days = dates.to_numpy().astype("datetime64[D]")
    return np.where(np.isnat(days), np.nan, days.astype("int64"))


def chip_of_model(ids: pd.Series, mentions: pd.DataFrame, hardware: pd.DataFrame) -> pd.Series:
    """For each model_id the hardware_id of its chip; null where none or several kinds are known."""
    pairs = mentions[["model_id", "hardware_id"]].drop_duplicates()
    pairs = pairs[pairs["hardware_id"].isin(hardware["hardware_id"])]
    single = pairs[~pairs["model_id"].duplicated(keep=False)]
    return ids.map(single.set_index("model_id")["hardware_id"])


def training_runs(
    models: pd.DataFrame, chips: pd.DataFrame, has_base: np.ndarray, constants: Constants
) -> pd.DataFrame:
    """By the index of the dated models with one kind of chip: chip (name), tdp (W), released and day (days since
    1970-01-01), year (decimal), is_tpu, organizations, NUMBERS, peak (FLOP/s) and, for the chip-hours: chip_hours,
    basis (PRINTED, PRODUCT or FROM_FLOP), how formulas print them (`time`), the fields behind them, what is assumed of
    them (`note`), and by how much they widen an interval (`hours_dex`). `chips` has the columns of `hardware` by the
    index of `models`.

    Chip-hours are the printed ones, else chips × hours, else what the FLOP of a model without a base model take at the
    stated utilisation, or at the usual one of the 16-bit peak; null where the chips would have to do three times the
    FLOP that they can, and from FLOP for agents that learn in a simulator."""
    known = (chips["name"].notna() & models["publication_date"].notna()).to_numpy()
    few, about, of_hours = models[known], chips[known], constants["chip_hours"]
    date = few["publication_date"].to_numpy().astype("datetime64[D]")
    start = date.astype("datetime64[Y]")
    rates = about[[*RATES.values()]].assign(hardware_type=about["type"], numerical_format=few["numerical_format"])
    narrow = rates["numerical_format"].isin(NARROW) & ~(few["hardware_utilization"] <= 1)
    wide = peak_rate(rates.assign(numerical_format=rates["numerical_format"].mask(narrow, "BF16")))
    runs = pd.DataFrame({name: few[column] for name, column in NUMBERS.items()})
    runs = runs.assign(
        chip=about["name"],
        tdp=about["tdp_w"],
        released=day_numbers(about["release_date"]),
        is_tpu=(about["type"] == "TPU").astype("bool"),
        day=day_numbers(few["publication_date"]),
        year=start.astype("int64") + 1970 + (date - start).astype("int64") / DAYS_PER_YEAR,
        organizations=few["organizations"].fillna(""),
        flop=few["training_compute_flop"].mask(has_base[known]),
        share=few["hardware_utilization"].where(few["hardware_utilization"] <= 1, of_hours["utilization"]),
        peak=peak_rate(rates),
    )
    product = runs["quantity"] * runs["hours"].where(runs["hours"] <= MOST_HOURS)
    stated = runs["printed"].fillna(product)
    worked_out = (runs["flop"] / (wide * SECONDS_PER_HOUR * runs["share"])).mask(few["domains"].isin(SIMULATED))
    most = stated * SECONDS_PER_HOUR * runs["peak"] * of_hours["most_utilization"]
    basis = np.select([runs["printed"].notna(), product.notna()], [PRINTED, PRODUCT], FROM_FLOP)
    from_flop = texts("{:.4g} FLOP ÷ ({:.4g} FLOP/s × {:.4g} × 3600 s/h)", runs["flop"], wide, runs["share"])
    times = [
        texts("{:.4g} chip-hours", runs["printed"]),
        texts("{:.4g} chips × {:.4g} h", runs["quantity"], runs["hours"]),
        from_flop,
    ]
    return runs.assign(
        chip_hours=stated.fillna(worked_out).mask(runs["flop"] > most),
        basis=basis,
        time=np.choose(basis, times),
        fields=np.array(FIELDS, dtype=object)[basis],
        note=np.where(basis == FROM_FLOP, ";chip-hours worked out from FLOP", "").astype(object),
        hours_dex=np.where(basis == FROM_FLOP, of_hours["band_dex"], 0.0),
    )
