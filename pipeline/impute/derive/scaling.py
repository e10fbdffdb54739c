"""Tokens per parameter, distance from compute-optimal training, FLOP per dollar and per watt-hour, chip equivalents."""

from typing import Any

import numpy as np
import pandas as pd

from pipeline.frames import significant
from pipeline.impute.derive.runs import FROM_FLOP, Arrays
from pipeline.impute.flop import formulas
from pipeline.impute.flop.result import has_word


def scaling_columns(models: pd.DataFrame, has_base: np.ndarray, about: Any) -> Arrays:
    """For language models that were not made from another, whose tokens are those of the further training alone:
    tokens_per_parameter, and the tokens seen divided by those that are compute-optimal for 6·N·D by the rule of 20 and
    by the three approaches of Hoffmann et al. 2022 (arXiv:2203.15556). N is active parameters."""
    counted = has_word(models["domains"], "Language").to_numpy(dtype="bool") & ~has_base
    tokens = np.where(counted, models["training_tokens"].to_numpy(), np.nan)
    active, total = models["parameters_active"].to_numpy(), models["parameters"].to_numpy()
    active = np.where(np.isnan(active), total, active)
    flop = formulas.counted(formulas.FLOP_PER_PARAMETER_AND_TOKEN, active, tokens)
    lines = about["approach_1"], about["approach_2"]  # power laws, each through a point
    optimal = [line["tokens"] * (flop / line["flop"]) ** line["exponent"] for line in lines]
    optimal.append(optimal_tokens_by_loss(flop, about["approach_3"]))
    return {
        "tokens_per_parameter": tokens / active,
        "tokens_over_optimal": tokens / active / about["tokens_per_parameter"],
        **{f"tokens_over_optimal_{n}": significant(tokens / best) for n, best in enumerate(optimal, 1)},
    }


def optimal_tokens_by_loss(flop: np.ndarray, fit: Any) -> np.ndarray:
    """The tokens that minimise E + A/N^α + B/D^β for 6·N·D FLOP: D = (C/6)^(α/(α+β)) ÷ (αA/βB)^(1/(α+β))."""
    total = fit["alpha"] + fit["beta"]
    balance = (fit["alpha"] * fit["A"] / (fit["beta"] * fit["B"])) ** (1 / total)
    return np.asarray((flop / formulas.FLOP_PER_PARAMETER_AND_TOKEN) ** (fit["alpha"] / total) / balance)


def efficiency_columns(models: pd.DataFrame, made: Arrays, runs: Arrays, has_base: np.ndarray) -> Arrays:
    """FLOP per dollar and per watt-hour, where compute, cost and energy are about the same training: for a model made
    from another, compute includes the base model and the others do not. Given only where a source states the
    chip-hours, and no more FLOP than these chips can do: cost that follows from FLOP says nothing about FLOP per
    dollar."""
    total, further = models["training_compute_flop"].to_numpy(), models["finetune_compute_flop"].to_numpy()
    own = np.where(has_base, further, total)
    most = np.full(len(own), np.nan)
    stated = runs["basis"] != FROM_FLOP
    most[runs["row"][stated]] = formulas.from_chips(runs["chip_hours"], runs["peak"], 1)[stated]
    own = np.where(own <= most, own, np.nan)
    return {"flop_per_usd": own / made["training_cost_usd"], "flop_per_wh": own / (made["training_energy_kwh"] * 1000)}
