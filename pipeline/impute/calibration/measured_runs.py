"""The estimates from hardware and of energy held against measured runs.

`compare` gives a row per run and method: factor (estimated ÷ measured) and the half-width that the estimate states, in
dex. `with_priors` adds what the factor would be with priors from measured runs (see `hardware_priors.py`). `summarize` gives
the table of docs/method.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from pipeline.base.digits import log10
from pipeline.impute.calibration import hardware_priors
from pipeline.impute.derive.measured import derive_measured
from pipeline.impute.derive.power import estimate_energy
from pipeline.impute.derive.runs import PRODUCT
from pipeline.impute.flop import formulas
from pipeline.impute.flop.conformal import half_width
from pipeline.impute.flop.methods import hardware
from pipeline.normalize.stage import read_records
from pipeline.registry.constants import Constants
from pipeline.registry.context import Context

ONE_HOUR = 1.0  # of a run whose speed alone is known
YEAR = 2024  # of the readings; without cooling nothing depends on it
CHIP = ["tdp_w", "type", *hardware.RATES.values()]
DIGITS = 3


def measure_runs(context: Context, intervals: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The tables `measured` (how far the methods are off, by class of runs), and `utilization` and `power` (the priors);
    none where a checkout has no such runs."""
    if not any(source.subject == "measured_runs" for source in context.sources.values()):
        return {}
    chips = read_records(context, "hardware")
    runs = derive_measured(
        read_records(context, "measured_runs"),
        chips,
        context.schemas["measured_runs"],
        context.vocabularies["numerical_formats"],
        context.constants,
    )
    described = describe(runs, chips, context.constants)
    compared = with_priors(compare(described, intervals, context.constants))
    made = {
        "utilization": hardware_priors.utilization_table(described),
        "power": hardware_priors.power_table(described),
    }
    return {"measured": summarize(compared), **made}


def describe(runs: pd.DataFrame, chips: pd.DataFrame, constants: Constants) -> pd.DataFrame:
    """The runs with their chip's TDP, kind and rates, the class that they belong to, `share` (of the peak rate that the
    method takes) and `fold` (who ran them)."""
    known = runs.join(chips.set_index("hardware_id")[CHIP], on="hardware_id").rename(columns={"type": "hardware_type"})
    share = known["achieved_flops_per_chip"] / hardware.peak_rate(known)
    return hardware_priors.classified(known.assign(share=share), constants)


def compare(runs: pd.DataFrame, intervals: pd.DataFrame, constants: Constants) -> pd.DataFrame:
    """The described runs by method with factor and half_width; those that a method abstains on are left out."""
    return pd.concat(
        [_hardware(runs, intervals, constants["utilization"]), _energy(runs, constants)], ignore_index=True
    )


def _hardware(runs: pd.DataFrame, intervals: pd.DataFrame, shares: Mapping[str, float]) -> pd.DataFrame:
    """What the method says of the runs' FLOP from chips, hours and the number format where a source states it."""
    hours = runs["training_hours"].fillna(ONE_HOUR)
    usual = hardware.usual_utilization(pd.Series("Language", index=runs.index), shares)
    rows = runs.assign(hardware_quantity=runs["chip_quantity"], training_hours=hours, usual_utilization=usual)
    blank = pd.Series(np.nan, index=runs.index)
    unknown = {"chip_hours": blank, "hardware_utilization": blank, "rates_apart": blank}
    made = hardware.count_chip_hours(rows.assign(chips=1, chips_known=1, **unknown))
    measured = runs["achieved_flops_per_chip"] * runs["chip_quantity"] * hours * formulas.SECONDS_PER_HOUR
    half = half_width(made.assign(method=hardware.METHOD), intervals)
    compared = runs.assign(method="hardware", factor=made["value"] / measured, half_width=half)
    return compared[compared["factor"].notna()]


def _energy(runs: pd.DataFrame, constants: Constants) -> pd.DataFrame:
    """What the formula says of the runs' energy from chips and hours, without the cooling, which the readings leave out."""
    some = runs[runs["training_energy_kwh"].notna() & runs["tdp_w"].notna()]
    number, blank = np.arange(len(some)), np.full(len(some), np.nan)
    quantity, hours = some["chip_quantity"].to_numpy(), some["training_hours"].to_numpy()
    facts = {"row": number, "quantity": quantity, "hours": hours, "chip_hours": quantity * hours}
    chip = {"tdp": some["tdp_w"].to_numpy(), "is_tpu": (some["hardware_type"] == "TPU").to_numpy(dtype="bool")}
    rest = {"year": np.full(len(some), float(YEAR)), "basis": np.full(len(some), PRODUCT)}
    rest |= dict.fromkeys(("printed", "flop", "peak", "share"), blank)
    bare = {**constants["power"], "pue": {"year": YEAR, "value": 1.0, "change_per_year": 0.0}}
    made = estimate_energy(facts | chip | rest, blank, {**constants, "power": bare})
    factor = made["value"] / some["training_energy_kwh"].to_numpy()
    return some.assign(method="energy", factor=factor, half_width=made["band"])


def with_priors(compared: pd.DataFrame) -> pd.DataFrame:
    """The comparison with prior_factor: what the factor would be with the median of the runs of others in its class."""
    parts = []
    for method, column in hardware_priors.QUANTITIES.items():
        part = compared[compared["method"] == method]
        parts.append(
            part.assign(
                prior_factor=hardware_priors.of_others(part, column, hardware_priors.CLASSES[method]) / part[column]
            )
        )
    return pd.concat(parts, ignore_index=True)


def summarize(compared: pd.DataFrame) -> pd.DataFrame:
    """Per method and class of runs: number, median and 5 and 95 % points of the factor, share inside the stated
    interval; and with the priors median, share inside that interval and the half-width that holds 90 % of all."""
    return pd.DataFrame(_lines(compared)).round(DIGITS)


def _lines(compared: pd.DataFrame) -> Iterator[dict[str, object]]:
    for method, part in compared.groupby("method", sort=False):
        needed = float(log10(part["prior_factor"]).abs().quantile(0.9))
        yield {"method": method, "by": "all", "class": "all", **_line(part, needed)}
        for by in hardware_priors.SHOWN[str(method)]:
            for name, group in part.groupby(by, sort=True):
                yield {"method": method, "by": by, "class": name, **_line(group, needed)}


def _line(part: pd.DataFrame, needed: float) -> dict[str, float]:
    low, median, high = part["factor"].quantile([0.05, 0.5, 0.95])
    distance, after = log10(part["factor"]).abs(), log10(part["prior_factor"]).abs()
    return {
        "runs": len(part),
        "factor_05": low,
        "factor_50": median,
        "factor_95": high,
        "half_width_90": part["half_width"].median(),
        "inside": (distance <= part["half_width"]).mean(),
        "prior_factor_50": part["prior_factor"].median(),
        "prior_half_width_90": needed,
        "prior_inside": (after <= needed).mean(),
    }
