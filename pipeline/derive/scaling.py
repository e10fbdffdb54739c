"""Tokens per parameter, distance from compute-optimal training, FLOP per dollar and per watt-hour, chip equivalents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipeline.estimate.result import has_word

if TYPE_CHECKING:
    import pandas as pd

FLOP_PER_TOKEN_AND_PARAMETER = 6  # Kaplan et al. 2020, arXiv:2001.08361, section 2.1


def scaling_columns(models: pd.DataFrame, about: Any) -> dict[str, pd.Series]:
    """Of language models: tokens_per_parameter, and the tokens seen over those that are compute-optimal for 6·N·D by
    the rule of 20 and by the three approaches of Hoffmann et al. 2022 (arXiv:2203.15556). N is active parameters."""
    tokens = models["training_tokens"].where(has_word(models["domains"], "Language"))
    active = models["parameters_active"].fillna(models["parameters"])
    ratio = tokens / active
    flop = FLOP_PER_TOKEN_AND_PARAMETER * active * tokens
    return {
        "tokens_per_parameter": ratio,
        "tokens_over_optimal": ratio / about["tokens_per_parameter"],
        "tokens_over_optimal_1": _digits(tokens / optimal_tokens(flop, about["approach_1"])),
        "tokens_over_optimal_2": _digits(tokens / optimal_tokens(flop, about["approach_2"])),
        "tokens_over_optimal_3": _digits(tokens / optimal_tokens_by_loss(flop, about["approach_3"])),
    }


def optimal_tokens(flop: pd.Series, line: Any) -> pd.Series:
    """Compute-optimal tokens on the power law of an approach through its point."""
    tokens: pd.Series = line["tokens"] * (flop / line["flop"]) ** line["exponent"]
    return tokens


def optimal_tokens_by_loss(flop: pd.Series, fit: Any) -> pd.Series:
    """The tokens that make E + A/N^α + B/D^β least for 6·N·D FLOP: D = (C/6)^(α/(α+β)) ÷ (αA/βB)^(1/(α+β))."""
    total = fit["alpha"] + fit["beta"]
    balance = (fit["alpha"] * fit["A"] / (fit["beta"] * fit["B"])) ** (1 / total)
    tokens: pd.Series = (flop / FLOP_PER_TOKEN_AND_PARAMETER) ** (fit["alpha"] / total) / balance
    return tokens


def efficiency_columns(models: pd.DataFrame, has_base: pd.Series) -> dict[str, pd.Series]:
    """FLOP per dollar and per watt-hour, where compute, cost and energy are about the same training: of a model made
    from another, compute includes the base and the others do not."""
    own = models["finetune_compute_flop"].where(has_base, models["training_compute_flop"])
    return {
        "flop_per_usd": own / models["training_cost_usd"],
        "flop_per_wh": own / (models["training_energy_kwh"] * 1000),
    }


def equivalent_columns(hardware: pd.DataFrame, about: Any) -> dict[str, pd.Series]:
    """How many A100 and H100 a chip is worth by its dense rate in FP16 or BF16, on tensor cores where it has them, else
    FP32; null without a rate."""
    plain, single = hardware["peak_fp16_flops"], hardware["peak_fp32_flops"]
    rate = hardware["peak_tensor_fp16_flops"].fillna(plain.where(~(plain < single), single)).fillna(single)
    return {"a100_equivalents": rate / about["a100"], "h100_equivalents": rate / about["h100"]}


def _digits(values: pd.Series) -> pd.Series:
    """Twelve significant digits: powers may differ in the last bit between machines."""
    return values.map(lambda value: float(f"{value:.12g}"), na_action="ignore")
