"""Operation counting, hardware and base models on published cases, the traps that must be refused, and properties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from estimation_rows import DECLARED, rows
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.impute.flop.bands import ASSUMED_DEX, CONFIDENT, LIKELY, STATED_DEX
from pipeline.impute.flop.methods.base_model import ALONE, circular, estimate_with_base, increments, resolve
from pipeline.impute.flop.methods.features import log_numbers
from pipeline.impute.flop.methods.forward_pass import RECALLED, count_passes
from pipeline.impute.flop.methods.hardware import count_chip_hours
from pipeline.impute.flop.methods.note import read_note
from pipeline.impute.flop.methods.operation_count import count_operations
from pipeline.impute.flop.result import HAS_BASE, abstain_with_base
from pipeline.impute.flop.spread import QUANTILES, ends

A100 = {  # NVIDIA's data sheet: 312 TFLOP/s in FP16 and BF16, 156 in TF32, 19.5 in FP32
    "peak_tensor_fp16_flops": 3.12e14,
    "peak_tf32_flops": 1.56e14,
    "peak_fp32_flops": 1.95e13,
    "hardware_type": "GPU",
}
V100 = {  # NVIDIA's data sheet of the SXM2 board: 125 TFLOP/s with tensor cores, 15.7 in FP32
    "peak_tensor_fp16_flops": 1.25e14,
    "peak_fp16_flops": 3.13e13,
    "peak_fp32_flops": 1.57e13,
    "hardware_type": "GPU",
}


def counted(**cell: Any) -> pd.Series:
    return count_operations(rows(cell)).iloc[0]


def clocked(**cell: Any) -> pd.Series:
    return count_chip_hours(rows(cell)).iloc[0]


@pytest.mark.parametrize(
    ("million", "flop"),
    # Brown et al. 2020 (arXiv:2005.14165), table D.1: parameters, and total FLOP at 300e9 tokens
    [
        (125, 2.25e20),
        (356, 6.41e20),
        (760, 1.37e21),
        (1_320, 2.38e21),
        (2_650, 4.77e21),
        (6_660, 1.20e22),
        (12_850, 2.31e22),
        (174_600, 3.14e23),
    ],
)
def test_the_eight_sizes_of_gpt3(million: float, flop: float) -> None:
    made = counted(parameters=million * 1e6, training_tokens=300e9, publication_date="2020-05-28")
    assert made["value"] == pytest.approx(flop, rel=0.02)
    assert made["fields"] == "parameters;training_tokens"


def test_llama_3_405b() -> None:
    # arXiv:2407.21783, section 3.2.1: 3.8e25 FLOP for 405B parameters on 15.6T tokens
    made = counted(name="Llama 3.1-405B", parameters=405e9, training_tokens=15.6e12)
    assert made["value"] == pytest.approx(3.8e25, rel=0.05)
    assert made["formula"] == "6 × 4.05e+11 parameters × 1.56e+13 tokens"


def test_a_mixture_of_experts_counts_active_parameters() -> None:
    # DeepSeek-V3 (arXiv:2412.19437): 671B parameters of which 37B active, 14.8T tokens; Epoch AI has 3.3e24 to 3.4e24
    moe = {"architecture": "MoE", "parameters": 671e9, "training_tokens": 14.8e12}
    assert counted(**moe, parameters_active=37e9)["value"] == pytest.approx(3.3e24, rel=0.1)
    refused = counted(**moe)
    assert pd.isna(refused["value"])
    assert refused["reason"].startswith("needs active parameters")


def test_an_encoder_decoder_takes_half() -> None:
    # arXiv:2005.14165, table D.1: T5-11B 3.30e22 FLOP at 1,000e9 tokens
    made = counted(architecture="encoder-decoder", parameters=11e9, training_tokens=1e12, publication_date="2019-10-23")
    assert made["value"] == pytest.approx(3.3e22, rel=0.01)
    assert "half of the parameters" in made["assumptions"]
    dense = counted(parameters=11e9, training_tokens=1e12)
    assert (made["high"] / made["value"], dense["high"] / dense["value"]) == pytest.approx(
        (LIKELY, CONFIDENT), rel=0.01
    )


@pytest.mark.parametrize("architecture", ["encoder-decoder;whole-text", "whole-text"])
def test_a_decoder_that_writes_the_whole_text_again_takes_the_other_half(architecture: str) -> None:
    # BART (arXiv:1910.13461, sections 2 and 5.1): 500,000 steps of 8,000 texts, read with noise and written out whole;
    # RoBERTa of that size and schedule, an encoder alone: 6 × 355e6 × 2.048e12 = 4.4e21
    made = counted(architecture=architecture, parameters=406e6, training_tokens=2.048e12)
    assert made["value"] == pytest.approx(6 * 406e6 * 2.048e12)


def test_recomputed_activations_are_eight_operations() -> None:
    # arXiv:2104.04473, section 5.1: 8 per parameter and token with recomputation, 6 without
    plain, again = (counted(parameters=1e9, training_tokens=1e11, flop_convention=word) for word in ("6ND", "8ND"))
    assert again["value"] / plain["value"] == pytest.approx(8 / 6)
    assert "flop_convention" in again["fields"].split(";")


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ({"domains": "Vision", "training_tokens": None}, "needs a language model"),
        ({"architecture": "CNN"}, "needs a dense transformer"),
        ({"architecture": "MoE;RNN"}, "needs dense layers"),
        ({"architecture": "shared-layers"}, "needs parameters that are used once"),  # as in ALBERT, arXiv:1909.11942
        ({"name": "GloVe (6B)", "publication_date": "2014-01-01"}, "needs a transformer or recurrent"),
        ({"architecture": "MoE"}, "needs active parameters"),
        ({"parameters": None}, "needs parameters"),
        ({"training_tokens": None}, "needs tokens seen or the dataset"),
        ({"training_tokens": 3e8, "parameters": 7.1e9}, "needs a second look"),  # Gopher 7.1B upstream
        ({"training_tokens": None, "dataset_size": 1e9, "dataset_unit": "image"}, "needs the dataset in tokens"),
        ({"training_tokens": None, "dataset_size": 1e9, "dataset_unit": "token"}, "needs epochs"),
        # GPT-3 upstream: 238e9 tokens, 0.6 epochs; 300e9 were seen
        ({"training_tokens": None, "dataset_size": 238e9, "dataset_unit": "token", "epochs": 0.6}, "needs tokens seen"),
        # a dataset of pre-training size beside a base model is the base's
        (
            {"training_tokens": None, "dataset_size": 1e12, "dataset_unit": "token", "base_model": "Base"},
            "needs epochs",
        ),
    ],
)
def test_counting_abstains(cell: dict[str, Any], reason: str) -> None:
    made = counted(**({"parameters": 1e9, "training_tokens": 1e11} | cell))
    assert made["reason"].startswith(reason)
    assert made.drop("reason").isna().all()


@pytest.mark.parametrize(("tokens", "is_counted"), [(1e9, True), (2e8, True), (1.9e8, False)])
def test_a_language_model_sees_at_least_a_fifth_as_many_tokens_as_it_has_parameters(
    tokens: float, is_counted: bool
) -> None:
    assert (counted(parameters=1e9, training_tokens=tokens)["reason"] == "") is is_counted


def test_one_epoch_is_assumed_of_large_datasets_alone() -> None:
    # 1e11 tokens: what language models since GPT-3 (arXiv:2005.14165) pass over once
    small = counted(parameters=1e8, dataset_size=9e10, dataset_unit="token")
    assert (small["reason"], counted(parameters=1e8, dataset_size=1e11, dataset_unit="token")["reason"]) == (
        "needs epochs",
        "",
    )


@pytest.mark.parametrize(
    ("cell", "is_counted"),
    [
        ({}, False),
        ({"parameters": 1.4e11}, True),
        ({"publication_date": "2024-12-31"}, True),
        ({"architecture": "dense"}, True),
        ({"base_model": "Base"}, True),
        ({"parameters_active": 2e10}, True),
    ],
)
def test_a_large_model_of_today_is_a_mixture_of_experts_unless_something_else_is_known(
    cell: dict[str, Any], is_counted: bool
) -> None:
    made = counted(**({"parameters": 1.6e11, "training_tokens": 1e13, "publication_date": "2025-01-01"} | cell))
    assert made["reason"] == ("" if is_counted else "needs active parameters: a mixture of experts")


def test_one_epoch_is_an_assumption_and_widens_the_interval() -> None:
    dataset = {"parameters": 1e9, "dataset_size": 2e11, "dataset_unit": "token"}
    stated, assumed = counted(**dataset, epochs=1), counted(**dataset)
    assert stated["value"] == assumed["value"] == 1.2e21
    assert (stated["assumptions"], assumed["assumptions"]) == ("", "one epoch")
    assert assumed["high"] > stated["high"]


LM = {
    "domains": "Language",
    "tasks": "Language modeling/generation",
    "parameters": 24e6,
    "dataset_size": 2e6,
    "epochs": 5,
}


def test_the_unit_of_a_language_models_dataset_may_be_guessed() -> None:
    # WikiText-2 has 2e6 words (arXiv:1609.07843)
    made = counted(**LM)
    assert made["value"] == pytest.approx(6 * 24e6 * 2e6 * 5)
    assert made["assumptions"] == "the dataset is counted in tokens"
    assert made["high"] / made["value"] == pytest.approx(10)
    for other in ({"tasks": "Translation"}, {"domains": "Language;Vision"}, {"epochs": None}, {"tasks": None}):
        assert counted(**(LM | other))["reason"].startswith("needs the dataset in tokens"), other


@pytest.mark.parametrize(
    ("cell", "fields"),
    [
        (
            {"training_tokens": 1e11, "dataset_size": 1e11, "dataset_unit": "token", "epochs": 1},
            "parameters;training_tokens",
        ),
        ({"dataset_size": 2e11, "dataset_unit": "token", "epochs": 2}, "parameters;dataset_size;dataset_unit;epochs"),
        ({"dataset_size": 2e11, "dataset_unit": "token"}, "parameters;dataset_size;dataset_unit"),
        ({"tasks": "Language modeling", "dataset_size": 2e9, "epochs": 1}, "parameters;dataset_size;epochs"),
    ],
)
def test_the_fields_of_a_count_are_those_that_went_in(cell: dict[str, Any], fields: str) -> None:
    assert counted(**({"parameters": 1e9} | cell))["fields"] == fields


def test_words_become_tokens_but_not_for_a_recurrent_model() -> None:
    # a token is 0.75 words (epoch.ai/data/ai-models-documentation/estimation)
    words = counted(**(LM | {"dataset_unit": "word"}))
    assert words["value"] == pytest.approx(6 * 24e6 * 2e6 / 0.75 * 5)
    assert words["assumptions"] == "4/3 tokens per word"
    recurrent = counted(**(LM | {"dataset_unit": "word", "architecture": "RNN", "publication_date": "2016-01-01"}))
    assert recurrent["value"] == pytest.approx(6 * 24e6 * 2e6 * 5)
    assert recurrent["assumptions"] == ""


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ({"dataset_unit": "amino_acid"}, ""),
        ({"training_tokens": 1e12}, ""),
        ({"architecture": "residue-pairs", "training_tokens": 1e12}, "needs a language model"),  # pairs cost more
        ({"dataset_unit": "protein"}, "needs a language model"),
    ],
)
def test_sequences_of_biology_count_where_they_are_in_tokens(cell: dict[str, Any], reason: str) -> None:
    usual = {"domains": "Biology", "parameters": 650e6, "dataset_size": 1e11, "epochs": 3}
    made = counted(**(usual | cell))
    assert made["reason"].startswith(reason)
    assert bool(pd.isna(made["value"])) == bool(reason)


def test_a_convolutional_network_counts_operations_per_example() -> None:
    # AlexNet: 1.2e6 images × 90 epochs, 0.75e9 multiply-adds per image: 4.7e17 (openai.com/index/ai-and-compute)
    seen = {"domains": "Vision", "architecture": "CNN", "forward_flop": 1.5e9, "dataset_size": 1.2e6}
    made = count_passes(rows(seen | {"epochs": 90, "dataset_unit": "image"})).iloc[0]
    assert made["value"] == pytest.approx(4.7e17, rel=0.04)
    assert made["fields"] == "forward_flop;dataset_size;dataset_unit;epochs"
    stated = count_passes(rows(seen | {"training_examples": 1e8})).iloc[0]
    assert stated["value"] == pytest.approx(3 * 1.5e9 * 1e8)
    assert stated["formula"] == "3 × 1.5e+09 FLOP per example forward × 1e+08 examples"
    for lacking, reason in (
        ({"forward_flop": None}, "needs operations per example"),
        ({}, "needs examples seen"),
        ({"epochs": 90, "dataset_unit": "token"}, "needs examples seen"),
    ):
        assert count_passes(rows(seen | lacking)).loc[0, "reason"].startswith(reason)


def test_a_training_factor_takes_the_place_of_three() -> None:
    # Cognitron: 3 layers of 288 cells with 25 inputs each, 5 patterns × 20 rounds, no backward pass
    seen = {"domains": "Other", "forward_flop": 2 * 3 * 288 * 25, "training_examples": 100}
    without = count_passes(rows(seen | {"training_factor": 1, "recalled": "training_factor"})).iloc[0]
    assert without["value"] == pytest.approx(43200 * 100)
    assert without["formula"] == "1 × 4.32e+04 FLOP per example forward × 100 examples"
    assert without["fields"] == "forward_flop;training_examples;training_factor"
    assert without["assumptions"] == RECALLED
    # a student of 66e6 parameters and a teacher of 110e6 that reads every token; LoRA: no gradients of the weights
    tokens = {"parameters": 66e6, "training_tokens": 1e11}
    assert counted(**tokens, training_factor=3 + 110 / 66)["value"] == pytest.approx((6 * 66e6 + 2 * 110e6) * 1e11)
    frozen = counted(**tokens, training_factor=2)
    assert (frozen["value"], frozen["formula"]) == (4 * 66e6 * 1e11, "4 × 6.6e+07 parameters × 1e+11 tokens")
    assert "training_factor" in frozen["fields"].split(";")
    halves = counted(**tokens, training_factor=2, architecture="encoder-decoder")
    assert halves["value"] == pytest.approx(2 * 66e6 * 1e11)


def test_entries_of_a_table_are_not_multiplied_with_tokens() -> None:
    table = counted(parameters=21e9, training_tokens=31e9, architecture="lookup")
    assert table["reason"].startswith("needs parameters that a token passes through")
    seen = rows(*({"parameters": 21e9, "training_tokens": 31e9, "architecture": word} for word in ("lookup", "dense")))
    logs = log_numbers(seen.assign(batch_size=np.nan), pd.Series(np.nan, index=seen.index))
    assert logs[["parameters", "count"]].isna().all(axis=1).tolist() == [True, False]
    assert logs["dataset"].tolist() == pytest.approx([np.log10(31e9)] * 2)


def test_a_note_gives_a_figure_or_a_bound() -> None:
    table = rows(
        {"training_compute_stated": 3.8e25},
        {"noted_low": 1e25},
        {"noted_high": 1e23},
        {"training_compute_stated": 3.93e16, "refused": 3.93e16},  # StyleGAN: the note holds the value that was dropped
        {},
    )
    made = read_note(table)
    assert made["value"].tolist() == pytest.approx([3.8e25] + 4 * [np.nan], nan_ok=True)
    assert made["low"].tolist() == pytest.approx([3.8e24, 1e25, np.nan, np.nan, np.nan], nan_ok=True)
    assert made["high"].tolist() == pytest.approx([3.8e26, np.nan, 1e23, np.nan, np.nan], nan_ok=True)
    assert made["reason"].tolist() == [
        "",
        *2 * ["needs a figure: a source gives a bound"],
        "needs a figure that no correction took away",
        "needs a figure in a note",
    ]
    assert made["formula"].fillna("").tolist() == [
        "3.8e+25 FLOP in a note",
        "at least 1e+25 FLOP, says a source",
        "at most 1e+23 FLOP, says a source",
        "",
        "",
    ]


def test_several_kinds_of_chip_count_with_their_mean_rate() -> None:
    made = clocked(**A100, numerical_format="BF16", chip_hours=100, chips=2, chips_known=2, rates_apart=2.5)
    assert made["value"] == pytest.approx(100 * 3600 * 3.12e14 * 0.3)
    assert "mean rate of several kinds of chip" in made["assumptions"]


@pytest.mark.parametrize(
    ("chip", "number_format", "peak"),
    [
        (A100, "BF16", 3.12e14),
        (A100, "FP16", 3.12e14),
        (A100, "TF32", 1.56e14),
        (A100, "FP32", 1.95e13),
        (A100, None, 3.12e14),
        (A100, "FP8", 3.12e14),  # which an A100 does not have
        (A100 | {"peak_fp8_flops": 6e14}, "FP8", 6e14),
        (V100, "FP16", 1.25e14),
        (V100, "FP32", 1.57e13),
        ({"peak_fp16_flops": 1.8e11, "peak_fp32_flops": 1.2e13}, "FP16", 1.2e13),  # P40: FP16 slower than FP32
        ({"peak_fp16_flops": 1.8e13, "peak_fp32_flops": 9e12}, None, 9e12),
        ({"peak_fp16_flops": 1.8e13, "peak_fp32_flops": 9e12, "hardware_type": "TPU"}, None, 1.8e13),
        ({"peak_tensor_fp16_flops": 2.75e14, "hardware_type": "TPU"}, "FP32", 2.75e14),  # one BF16 pass
        (
            {"peak_tensor_fp16_flops": 4.6e13, "peak_fp32_flops": 3e12, "hardware_type": "TPU"},
            "FP32",
            4.6e13,
        ),  # TPU v2: 3e12 is the vector unit
    ],
)
def test_peak_rate_by_number_format(chip: dict[str, Any], number_format: str | None, peak: float) -> None:
    made = clocked(**chip, numerical_format=number_format, hardware_quantity=10, training_hours=100)
    assert made["value"] == pytest.approx(10 * 100 * 3600 * peak * 0.30)
    assert ("usual number format" in made["assumptions"]) == (number_format is None)


@pytest.mark.parametrize(
    ("domain", "given", "share"), [("Vision", None, 0.40), ("Language", None, 0.30), ("Language", 0.55, 0.55)]
)
def test_utilization_as_given_or_by_domain(domain: str, given: float | None, share: float) -> None:
    made = clocked(**A100, domains=domain, chip_hours=1e6, hardware_utilization=given, numerical_format="BF16")
    assert made["value"] == pytest.approx(1e6 * 3600 * 3.12e14 * share)
    assert ("utilisation" in made["assumptions"]) == (given is None)
    assert ("hardware_utilization" in made["fields"]) == (given is not None)


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ({"chips": 0, "chips_known": 0}, "needs the kind of chip"),
        ({"chips_known": 0}, "needs a chip of the hardware table"),
        ({"chips": 2, "chips_known": 2}, "needs chips per type"),
        ({"chips": 2, "chips_known": 2, "rates_apart": 4.0}, "needs chips per type"),
        ({"training_hours": None}, "needs chip-hours"),
        ({"hardware_quantity": None}, "needs chip-hours"),
        ({"peak_tensor_fp16_flops": None, "peak_fp32_flops": None}, "needs the chip's peak rate"),
        ({"hardware_utilization": 1.2}, "needs a utilisation"),
        ({"training_hours": 30_000}, "needs a second look"),
        ({"chip_hours": 4000}, "differs: chip-hours"),  # 10 chips × 100 h
        ({"chip_hours": 250}, "differs: chip-hours"),
        ({**V100, "peak_tf32_flops": None, "numerical_format": None}, "needs the number format"),
    ],
)
def test_hardware_abstains(cell: dict[str, Any], reason: str) -> None:
    usual = {**A100, "numerical_format": "BF16", "hardware_quantity": 10, "training_hours": 100}
    made = clocked(**(usual | cell))
    assert made["reason"].startswith(reason)
    assert made.drop("reason").isna().all()


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ({"training_hours": 3 * 8766}, ""),  # three years of 365.25 days
        ({"training_hours": 3 * 8766 + 1}, "needs a second look: more than three years"),
        ({"hardware_utilization": 1.0}, ""),
    ],
)
def test_a_run_may_take_three_years_and_all_of_the_peak_rate(cell: dict[str, Any], reason: str) -> None:
    made = clocked(**({**A100, "numerical_format": "BF16", "hardware_quantity": 10, "training_hours": 100} | cell))
    assert made["reason"] == reason


def test_the_bands_of_chips_and_of_bases_before_calibration() -> None:
    timed = clocked(**A100, numerical_format="BF16", chip_hours=1e6)
    assert timed["high"] / timed["value"] == pytest.approx(10**0.67, rel=1e-3)
    made = tuned({"tuned": "base"}, {"base": 1e22}, {"tuned": 1e20}).loc["tuned"]
    assert made["high"] / made["value"] == pytest.approx(10**0.6, rel=1e-3)
    assert made["value"] / made["low"] == pytest.approx(10**0.6, rel=1e-3)


@pytest.mark.parametrize("printed", [1000, 9000])
def test_chip_hours_three_times_apart_from_chips_and_hours_are_still_those_of_one_run(printed: float) -> None:
    made = clocked(**A100, numerical_format="BF16", hardware_quantity=30, training_hours=100, chip_hours=printed)
    assert made["value"] == pytest.approx(printed * 3600 * 3.12e14 * 0.3)
    assert (made["fields"], made["assumptions"]) == ("hardware;chip_hours;numerical_format", "utilisation 0.30")
    product = clocked(**A100, hardware_quantity=30, training_hours=100, hardware_utilization=0.5)
    assert product["fields"] == "hardware;hardware_quantity;training_hours;hardware_utilization"
    assert product["formula"] == "30 chips × 100 h × 3600 s/h × 3.12e+14 FLOP/s × 0.5"
    assert made["formula"] == f"{printed} chip-hours × 3600 s/h × 3.12e+14 FLOP/s × 0.3"


@pytest.mark.parametrize(("times", "is_counted"), [(2.9, True), (3.1, False)])
def test_without_a_format_a_chip_counts_where_its_rates_are_within_a_factor_of_three(
    times: float, is_counted: bool
) -> None:
    chip = {"peak_tensor_fp16_flops": times * 1e14, "peak_fp32_flops": 1e14, "hardware_type": "GPU"}
    made = clocked(**chip, chip_hours=100)
    assert bool(pd.notna(made["value"])) is is_counted


def test_neither_method_speaks_for_a_whole_model_with_a_base() -> None:
    tuned = rows({"base_model": "Base", "parameters": 1e9, "training_tokens": 1e9, "chip_hours": 1e3, **A100})
    for method in (count_operations, count_chip_hours):
        assert method(tuned)["value"].notna().all()
        whole = abstain_with_base(method(tuned), tuned)
        assert whole.loc[0, "reason"] == HAS_BASE
        assert whole.drop(columns="reason").isna().all(axis=None)


POSITIVE = st.floats(min_value=1e-3, max_value=1e6)


@settings(max_examples=40, deadline=None)
@given(
    n=st.floats(1e6, 1e12),
    d=st.floats(1e12, 1e14),
    chips=POSITIVE,
    hours=st.floats(0.01, 2e4),
    factor=st.floats(1.5, 1e3),
)
def test_estimates_scale_and_lie_within_their_interval(
    n: float, d: float, chips: float, hours: float, factor: float
) -> None:
    cell = {"parameters": n, "training_tokens": d, **A100, "hardware_quantity": chips, "training_hours": hours}
    small, large = cell | {"training_hours": hours / factor}, cell | {"hardware_quantity": chips * factor}
    made = count_operations(rows(cell, cell | {"training_tokens": d * factor}, cell | {"parameters": n * factor}))
    timed = count_chip_hours(rows(cell, small, large))
    grown = made["value"] / made.loc[0, "value"]
    assert grown[made["value"].notna()].tolist() == pytest.approx([1, factor, factor][: made["value"].notna().sum()])
    assert (timed["value"] / timed.loc[0, "value"]).tolist() == pytest.approx([1, 1 / factor, factor])
    for estimate in (made[made["value"].notna()], timed):
        assert np.isfinite(estimate["high"]).all()
        assert (
            (estimate["low"] > 0) & (estimate["low"] < estimate["value"]) & (estimate["value"] < estimate["high"])
        ).all()


@settings(max_examples=40, deadline=None)
@given(forward=st.floats(1, 1e13), examples=st.floats(1, 1e13), factor=st.floats(1.5, 1e3))
def test_operations_per_example_scale_and_lie_within_their_interval(
    forward: float, examples: float, factor: float
) -> None:
    cell = {"forward_flop": forward, "training_examples": examples}
    made = count_passes(rows(cell, *({**cell, name: value * factor} for name, value in cell.items())))
    assert (made["value"] / made.loc[0, "value"]).tolist() == pytest.approx([1, factor, factor])
    assert ((made["low"] > 0) & (made["low"] < made["value"]) & (made["value"] < made["high"])).all()
    assert np.isfinite(made["high"]).all()


def test_a_forward_pass_is_told_apart_from_parameters_and_tokens() -> None:
    passes = count_passes(rows({"forward_flop": 7.74e9, "training_examples": 1e8}))
    tokens = count_operations(rows({"parameters": 1e9, "training_tokens": 1e11}))
    assert passes["assumptions"].tolist() == ["counted from a forward pass"]
    half = {"forward_flop": 7.74e9, "training_examples": 1e8, "recalled": "training_examples"}
    assert count_passes(rows(half))["assumptions"].tolist() == ["counted from a forward pass, partly recalled"]
    other = half | {"recalled": "epochs"}  # which it does not rest on
    assert count_passes(rows(other))["assumptions"].tolist() == ["counted from a forward pass"]
    assert tokens["assumptions"].tolist() == [""]


def tuned(links: dict[str, str], known: dict[str, float], own: dict[str, float], unsure: float = 0.3) -> pd.DataFrame:
    """The base_plus_finetune estimates by model_id: `links` gives the ;-joined bases, `own` the fine-tunes' FLOP."""
    ids = sorted({*links, *known, *own})
    edges = pd.DataFrame(
        [(m, b or None) for m, text in links.items() for b in text.split(";")], columns=["model_id", "base_id"]
    )
    table = rows(*({"model_id": m, "finetune_compute_flop": own.get(m), "base_model": links.get(m)} for m in ids))
    further = increments(table, count_operations(table), count_chip_hours(table))
    flop = pd.Series(known, dtype="float64")
    made = estimate_with_base(table, edges.astype("str"), flop, further, flop * 0 + unsure)
    return made.set_index(table["model_id"])


def test_bases_add_up_along_a_chain_and_side_by_side() -> None:
    links = {"third": "second", "second": "first", "both": "first;eye"}
    made = tuned(links, {"first": 1e22, "eye": 2e21}, {"second": 1e20, "third": 1e19, "both": 1e20})
    assert made.loc["third", "value"] == pytest.approx(1e22 + 1e20 + 1e19)
    assert made.loc["both", "value"] == pytest.approx(1.2e22 + 1e20)
    assert made.loc["both", "formula"] == "1e+22 (first) + 2e+21 (eye) + 1e+20 for the further training"
    assert made.loc["first", "reason"] == "needs a base model"


def test_weights_taken_over_as_they_are_add_nothing() -> None:
    table = rows(
        {"model_id": "base"},
        {"model_id": "sampler", "base_model": "base", "architecture": "base-weights", "epochs": 3},
        {"model_id": "chat", "base_model": "base", "architecture": "dense"},
    )
    edges = pd.DataFrame({"model_id": ["sampler", "chat"], "base_id": ["base", "base"]}).astype("str")
    further = increments(table, count_operations(table), count_chip_hours(table))
    flop = pd.Series({"base": 6e20})
    made = estimate_with_base(table, edges, flop, further, flop * 0 + 0.3).set_index(table["model_id"])
    assert made.loc["sampler", "value"] == 6e20
    assert made.loc["sampler", "formula"] == "6e+20 (base) + 0 for the further training"
    assert np.isnan(made.loc["chat", "value"])


def test_an_estimate_is_no_surer_than_its_bases() -> None:
    links = {"second": "first", "third": "second", "much": "first"}
    made = tuned(links, {"first": 1e22}, {"second": 1e20, "third": 1e20, "much": 5e21}, unsure=1.5)
    assert made.loc["second", "inputs_dex"] == pytest.approx(1.5 / 1.01)
    assert made.loc["third", "inputs_dex"] == pytest.approx(1.5 / 1.02)
    assert made.loc["much", "inputs_dex"] == pytest.approx(1.5 / 1.5), "a third of it is the further training"
    assert (made["high"] / made["value"]).loc["second"] == pytest.approx(10 ** (1.5 / 1.01), rel=1e-3)


def test_an_interval_is_no_narrower_than_that_of_the_inputs() -> None:
    found = pd.DataFrame({name: [dex] for name, dex in zip(QUANTILES, (-0.4, -0.1, 0.0, 0.1, 0.4), strict=True)})
    assert ends(found, pd.Series([np.nan])).to_numpy().tolist() == [[-0.4, 0.4]]
    assert ends(found, pd.Series([1.0])).to_numpy().tolist() == [[-1.0, 1.0]]
    assert ends(found + 0.5, pd.Series([0.3])).to_numpy().tolist() == [[-0.3, 0.9]], "it holds its value"


def test_a_lower_bound_of_a_base_is_one_of_what_is_made_from_it() -> None:
    table = rows({"model_id": "base", "at_least": 1e25}, {"model_id": "chat", "base_model": "base"})
    edges = pd.DataFrame({"model_id": ["chat"], "base_id": ["base"]}).astype("str")
    further = increments(table, count_operations(table), count_chip_hours(table))
    nothing = pd.Series(dtype="float64")
    made = estimate_with_base(table, edges, nothing, further, nothing)
    assert made["low"].tolist()[1] == 1e25
    assert made["value"].isna().all()


def test_a_base_without_the_fine_tunes_own_compute_is_a_lower_bound() -> None:
    made = tuned({"chat": "base", "chat-2": "chat", "half": "base;unknown"}, {"base": 1e22}, {"half": 1e20})
    assert made["value"].isna().all()
    assert made.loc[["chat", "chat-2", "half"], "low"].tolist() == [1e22, 1e22, 1e22]
    assert made.loc["chat", "reason"] == "needs the fine-tune's own compute"
    assert made.loc["half", "reason"] == HAS_BASE
    assert made["assumptions"].fillna("").to_dict() == {"base": "", "chat": ALONE, "chat-2": "", "half": ""}


def test_what_is_made_from_a_model_with_an_unknown_base_has_no_value_either() -> None:
    links = {"half": "base;unknown", "third": "half"}
    made = tuned(links, {"base": 1e22}, {"half": 1e20, "third": 1e19})
    assert made.loc[["half", "third"], "value"].isna().all()
    assert made.loc["third", "low"] == 1e22


def test_a_cycle_abstains_and_ends() -> None:
    edges = pd.DataFrame({"model_id": ["a", "b", "c"], "base_id": ["b", "a", "a"]}).astype("str")
    assert set(circular(edges)) == {"a", "b", "c"}
    assert resolve(edges, pd.Series(dtype="float64"), pd.Series({"a": 1.0, "b": 1.0, "c": 1.0})).isna().all()
    made = tuned({"a": "b", "b": "a", "c": "a"}, {}, {"a": 1e20, "b": 1e20, "c": 1e20})
    assert made["value"].isna().all()
    assert made["reason"].str.contains("not made from itself").all()


def test_a_fine_tune_with_the_figure_of_its_base_abstains() -> None:
    # Unicorn upstream: 3.3e22 as its own fine-tuning, which is what T5-11B took
    made = tuned({"unicorn": "t5-11b"}, {"t5-11b": 3.3e22}, {"unicorn": 3.3e22})
    assert made.loc["unicorn", "reason"].startswith("needs the fine-tune's own compute")
    assert made.loc["unicorn", "low"] == 3.3e22
    near = tuned(
        {"same": "t5-11b", "more": "t5-11b"}, {"t5-11b": 3.3e22}, {"same": 3.3e22 * 1.005, "more": 3.3e22 * 1.02}
    )
    assert near["value"].isna().to_dict() == {"more": False, "same": True, "t5-11b": True}


def test_two_ways_to_the_increment_that_contradict_each_other_abstain() -> None:
    table = rows(
        {"model_id": "m", "base_model": "b", "parameters": 1e9, "training_tokens": 1e9, "chip_hours": 1e5, **A100}
    )
    edges = pd.DataFrame({"model_id": ["m"], "base_id": ["b"]}).astype("str")
    further = increments(table, count_operations(table), count_chip_hours(table))
    made = estimate_with_base(table, edges, pd.Series({"b": 1e22}), further, pd.Series({"b": 0.3}))
    assert made.loc[0, "reason"].startswith("differs")
    assert pd.isna(made.loc[0, "value"])


@pytest.mark.parametrize(
    ("times", "apart"), [(9.5, False), (10.5, True), (2, False), (0.5, False), (0.11, False), (0.09, True)]
)
def test_two_ways_to_the_increment_may_differ_by_a_factor_of_ten(times: float, apart: bool) -> None:
    tokens = times * 100 * 3600 * 3.12e14 * 0.3 / (6 * 1e9)  # of what 100 chip-hours do
    table = rows(
        {
            "base_model": "b",
            "parameters": 1e9,
            "training_tokens": tokens,
            "chip_hours": 100,
            **A100,
            "numerical_format": "BF16",
        }
    )
    made = increments(table, count_operations(table), count_chip_hours(table))
    assert (made.loc[0, "apart"], pd.isna(made.loc[0, "value"])) == (apart, apart)


def test_the_bands_before_calibration_are_those_of_the_confidence_words() -> None:
    assert {word: DECLARED.bands[word] for word in ("confident", "likely")} == {
        "confident": CONFIDENT,
        "likely": LIKELY,
    }
    assert pytest.approx([CONFIDENT, LIKELY], rel=0.01) == [10**STATED_DEX, 10**ASSUMED_DEX]


def test_the_usual_utilisation_depends_on_the_domain() -> None:
    # epoch.ai/data/ai-models-documentation/estimation: 30 % for language models, 40 % for others
    found = rows({"domains": "Vision"}, {"domains": "Vision;Language"}, {"domains": None})["usual_utilization"]
    assert found.tolist() == [0.40, 0.30, 0.40]


def test_the_figure_of_a_base_is_not_added_to_what_comes_after() -> None:
    # LLMStats gives Qwen2.5-32B-Instruct the 18e12 tokens of Qwen2.5-32B; s1-32B was made from the former
    links = {"qwen2.5-instruct-32b": "qwen2.5-32b", "s1-32b": "qwen2.5-instruct-32b"}
    made = tuned(links, {"qwen2.5-32b": 3.51e24}, {"qwen2.5-instruct-32b": 3.51e24, "s1-32b": 4.512e18})
    assert made["value"].isna().all()
    assert made.loc["s1-32b", "low"] == 3.51e24
    assert made.loc["s1-32b", "reason"] == HAS_BASE
