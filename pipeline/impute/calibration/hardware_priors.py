"""What measured runs say about utilisation and power: by class of runs, and for each run from the runs of others.

A class of utilisation is a generation of chips, the width of the number format (or `not stated`), a kind of model and a
scale; one of power is a chip and whether the run was long. A prior is the median of its class; where fewer than five runs of others are in it, that of the next
wider class.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

from pipeline.impute.derive.arrays import by_word
from pipeline.registry.constants import Constants

FEWEST = 5
QUANTITIES = {"hardware": "share", "energy": "power_per_chip_w"}
# From the narrowest class to all runs
CLASSES: dict[str, list[list[str]]] = {
    "hardware": [
        ["generation", "format", "architecture", "scale"],
        ["generation", "format", "architecture"],
        ["format", "architecture"],
        ["architecture"],
        [],
    ],
    "energy": [["hardware_id", "steady"], ["hardware_id"], []],
}
SHOWN = {
    "hardware": ["architecture", "generation", "format", "scale", "source_id"],
    "energy": ["benchmark", "scale", "steady"],
}
NOT_STATED = "not stated"
WIDTHS = {"BF16": "16 bits", "FP8": "8 bits", "MXFP8": "8 bits", "NVFP4": "4 bits"}
STEADY_HOURS = 0.25  # a shorter run draws less in the mean: beginning and end count
DIGITS = 4


def classified(runs: pd.DataFrame, constants: Constants) -> pd.DataFrame:
    """The runs with generation, format, scale and steady, and with fold: who ran them, or what."""
    about, starts = constants["measured"], constants["measured"]["scales"]
    names = [f"{first} to {after - 1} chips" for first, after in pairwise(starts)]
    ends = [*starts, float("inf")]
    scale = pd.cut(runs["chip_quantity"], ends, right=False, labels=[*names, f"{starts[-1]} chips and more"])
    by, read = runs["submitter"], runs["power_per_chip_w"].notna()  # one submitter alone read the power
    return runs.assign(
        generation=[by_word(chip, about["generations"]) for chip in runs["chip"]],
        format=runs["numerical_format"].map(WIDTHS).fillna(NOT_STATED),
        scale=scale.astype("str"),
        architecture=runs["is_mixture_of_experts"].map({True: "mixture of experts", False: "dense"}),
        steady=(runs["training_hours"] >= STEADY_HOURS).map({True: "15 minutes or more", False: "shorter"}),
        fold=runs["source_id"] + " " + by.mask(read, runs["system"] + " " + runs["benchmark"]).fillna(runs["model"]),
    )


def of_others(runs: pd.DataFrame, column: str, classes: list[list[str]]) -> pd.Series:
    """For each run the median of the column over the runs of other folds in its narrowest class that has enough."""
    found = pd.Series(float("nan"), index=runs.index)
    for by in classes:
        for fold, own in runs.groupby("fold"):
            others = runs[runs["fold"] != fold]
            prior = _medians(others, own, column, by)
            found = found.fillna(prior)
    return found


def _medians(others: pd.DataFrame, own: pd.DataFrame, column: str, by: list[str]) -> pd.Series:
    if not by:
        return pd.Series(others[column].median(), index=own.index)
    groups = others.groupby(by)[column]
    median = groups.median()[groups.count() >= FEWEST].rename("prior")
    return own.join(median, on=by)["prior"]


def utilization_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Per generation, format and scale: runs, median share of the peak rate with its 5 and 95 % points, sources."""
    return _table(runs[runs["share"].notna()], "share", CLASSES["hardware"][0], DIGITS)


def power_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Per chip, benchmark and number of nodes: runs and W from the mains per chip."""
    return _table(runs[runs["power_per_chip_w"].notna()], "power_per_chip_w", ["hardware_id", "benchmark", "nodes"], 1)


def _table(runs: pd.DataFrame, column: str, by: list[str], digits: int) -> pd.DataFrame:
    groups = runs.groupby(by, sort=True)
    spread = groups[column].quantile(np.array([0.05, 0.5, 0.95])).unstack().round(digits)
    sources = groups["source_id"].agg(lambda names: ";".join(sorted(set(names))))
    made = spread.set_axis([f"{column}_{part}" for part in ("05", "50", "95")], axis=1)
    return groups.size().rename("runs").to_frame().join(made).join(sources.rename("sources")).reset_index()
