"""The estimates from hardware and of energy held against measured runs, and what these say about utilisation and power.

`compare` gives a row per run and method: factor (estimated ÷ measured), the half-width that the estimate states, in
dex, and what the factor would be with priors from the runs of others. `summarize` gives the table of docs/method.md.

A class of utilisation is a generation of chips, the width of the number format (or `not stated`), a kind of model and a
scale; one of power is a chip and whether the run was long. A prior is the median of its class; where fewer than five
runs of others are in it, that of the next wider class."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pandas as pd

from pipeline.config import Config, Constants
from pipeline.impute.derive.measured import derive_measured
from pipeline.impute.derive.power import estimate_energy
from pipeline.impute.derive.runs import PRODUCT, by_word
from pipeline.impute.digits import log10
from pipeline.impute.flop import formulas
from pipeline.impute.flop.conformal import half_width
from pipeline.impute.flop.methods import hardware
from pipeline.normalize.stage import read_records

ONE_HOUR = 1.0  # of a run whose speed alone is known
YEAR = 2024  # of the readings; without cooling nothing depends on it
CHIP = ["tdp_w", "type", *hardware.RATES.values()]
FEWEST = 5
# From the narrowest class to all runs
CLASSES: dict[str, list[list[str]]] = {
    "hardware": [["generation", "format", "architecture", "scale"], ["generation", "format", "architecture"],
                 ["format", "architecture"], ["architecture"], ["method"]],
    "energy": [["hardware_id", "steady"], ["hardware_id"], ["method"]],
}  # fmt: skip
SHOWN = {
    "hardware": ["architecture", "generation", "format", "scale", "source_id"],
    "energy": ["benchmark", "scale", "steady"],
}
NOT_STATED = "not stated"
WIDTHS = {"BF16": "16 bits", "FP8": "8 bits", "MXFP8": "8 bits", "NVFP4": "4 bits"}
STEADY_HOURS = 0.25  # a shorter run draws less in the mean: beginning and end count
DIGITS = 3


def measure_runs(context: Config, intervals: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The tables `measured` (how far the methods are off, by class of runs), and `utilization` and `power` (the
    priors); none where a checkout has no such runs."""
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
    return {
        "measured": summarize(compare(described, intervals, context.constants)),
        "utilization": spread(described, "share", CLASSES["hardware"][0], 4),
        "power": spread(described, "power_per_chip_w", ["hardware_id", "benchmark", "nodes"], 1),
    }


def describe(runs: pd.DataFrame, chips: pd.DataFrame, constants: Constants) -> pd.DataFrame:
    """The runs with their chip's TDP, kind and rates, `share` (of the peak rate that the method takes), generation,
    format, scale and steady, and with fold: who ran them, or what."""
    runs = runs.join(chips.set_index("hardware_id")[CHIP], on="hardware_id").rename(columns={"type": "hardware_type"})
    about, starts = constants["measured"], constants["measured"]["scales"]
    names = [f"{first} to {after - 1} chips" for first, after in pairwise(starts)]
    ends = [*starts, float("inf")]
    scale = pd.cut(runs["chip_quantity"], ends, right=False, labels=[*names, f"{starts[-1]} chips and more"])
    by, read = runs["submitter"], runs["power_per_chip_w"].notna()  # one submitter alone read the power
    return runs.assign(
        share=runs["achieved_flops_per_chip"] / hardware.peak_rate(runs),
        generation=[by_word(chip, about["generations"]) for chip in runs["chip"]],
        format=runs["numerical_format"].map(WIDTHS).fillna(NOT_STATED),
        scale=scale.astype("str"),
        architecture=runs["is_mixture_of_experts"].map({True: "mixture of experts", False: "dense"}),
        steady=(runs["training_hours"] >= STEADY_HOURS).map({True: "15 minutes or more", False: "shorter"}),
        fold=runs["source_id"] + " " + by.mask(read, runs["system"] + " " + runs["benchmark"]).fillna(runs["model"]),
    )


def compare(runs: pd.DataFrame, intervals: pd.DataFrame, constants: Constants) -> pd.DataFrame:
    """The described runs by method with factor, half_width and prior_factor; those that a method abstains on are left
    out."""
    parts = _hardware(runs, intervals, constants["utilization"]), _energy(runs, constants)
    columns = {"hardware": "share", "energy": "power_per_chip_w"}
    made = [
        part.assign(prior_factor=of_others(part, columns[method], CLASSES[method]) / part[columns[method]])
        for method, part in zip(columns, parts, strict=True)
    ]
    return pd.concat(made, ignore_index=True)


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
    """What the formula says of the runs' energy from chips and hours, without the cooling, which the readings leave
    out."""
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


def of_others(runs: pd.DataFrame, column: str, classes: list[list[str]]) -> pd.Series:
    """For each run the median of the column over the runs of other folds in its narrowest class that has enough."""
    found = pd.Series(float("nan"), index=runs.index)
    for by in classes:
        for fold, own in runs.groupby("fold"):
            others = runs[runs["fold"] != fold].groupby(by)[column]
            prior = others.median()[others.count() >= FEWEST].rename("prior")
            found = found.fillna(own.join(prior, on=by)["prior"])
    return found


def summarize(compared: pd.DataFrame) -> pd.DataFrame:
    """Per method and class of runs: number, median and 5 and 95 % points of the factor, share inside the stated
    interval; and with the priors median, share inside that interval and the half-width that holds 90 % of all."""
    lines = []
    for method, part in compared.groupby("method", sort=False):
        needed = float(log10(part["prior_factor"]).abs().quantile(0.9))
        lines.append({"method": method, "by": "all", "class": "all", **_line(part, needed)})
        for by in SHOWN[str(method)]:
            groups = part.groupby(by, sort=True)
            lines += [{"method": method, "by": by, "class": name, **_line(group, needed)} for name, group in groups]
    return pd.DataFrame(lines).round(DIGITS)


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


def spread(runs: pd.DataFrame, column: str, by: list[str], digits: int) -> pd.DataFrame:
    """Per class of the runs that have it: runs, median of the column with its 5 and 95 % points, sources."""
    groups = runs[runs[column].notna()].groupby(by, sort=True)
    made = groups[column].quantile(np.array([0.05, 0.5, 0.95])).unstack().round(digits)
    made = made.set_axis([f"{column}_{part}" for part in ("05", "50", "95")], axis=1)
    sources = groups["source_id"].agg(lambda names: ";".join(sorted(set(names))))
    return groups.size().rename("runs").to_frame().join(made).join(sources.rename("sources")).reset_index()
