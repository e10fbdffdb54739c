"""Hardware, forward passes and notes on published cases, the traps that must be refused, and properties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from estimation_rows import A100, DECLARED, rows
from hypothesis import given
from hypothesis import strategies as st

from pipeline.impute.flop.formulas import ASSUMED_DEX, CONFIDENT, HAS_BASE, LIKELY, STATED_DEX
from pipeline.impute.flop.methods.features import log_numbers
from pipeline.impute.flop.methods.forward_pass import RECALLED, count_passes
from pipeline.impute.flop.methods.hardware import count_chip_hours
from pipeline.impute.flop.methods.note import read_note
from pipeline.impute.flop.methods.operation_count import count_operations
from pipeline.impute.flop.result import abstain_with_base

V100 = {  # NVIDIA's data sheet of the SXM2 board: 125 TFLOP/s with tensor cores, 15.7 in FP32
    "peak_tensor_fp16_flops": 1.25e14,
    "peak_fp16_flops": 3.13e13,
    "peak_fp32_flops": 1.57e13,
    "hardware_type": "GPU",
}
Cell = dict[str, Any]


def clocked(**cell: Any) -> pd.Series:
    return count_chip_hours(rows(cell)).iloc[0]


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


def test_entries_of_a_table_are_no_features() -> None:
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


def test_a_figure_within_a_twentieth_of_one_that_was_taken_away_is_that_one() -> None:
    cells = [
        {"training_compute_stated": figure, "refused": 4e16} for figure in (3.81e16, 4.19e16, 3.79e16, 4.21e16, 8e16)
    ]
    made = read_note(rows(*cells, {"training_compute_stated": 4e16, "noted_low": 1e16}))
    assert made["value"].notna().tolist() == [False, False, True, True, True, True]
    assert made["fields"].iloc[5] == "training_compute_stated", "a figure says more than a bound"


def test_several_kinds_of_chip_count_with_their_mean_rate() -> None:
    made = clocked(**A100, numerical_format="BF16", chip_hours=100, chips=2, chips_known=2, rates_apart=2.5)
    assert made["value"] == pytest.approx(100 * 3600 * 3.12e14 * 0.3)
    assert "mean rate of several kinds of chip" in made["assumptions"]


PEAKS: list[tuple[Cell, str | None, float]] = [
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
]


def test_peak_rate_by_number_format() -> None:
    run = {"hardware_quantity": 10, "training_hours": 100}
    made = count_chip_hours(rows(*(run | chip | {"numerical_format": named} for chip, named, _ in PEAKS)))
    for (chip, named, peak), found in zip(PEAKS, made.to_dict("records"), strict=True):
        assert found["value"] == pytest.approx(10 * 100 * 3600 * peak * 0.30), (chip, named)
        assert ("usual number format" in found["assumptions"]) == (named is None), (chip, named)


@pytest.mark.parametrize(
    ("domain", "given", "share"), [("Vision", None, 0.40), ("Language", None, 0.30), ("Language", 0.55, 0.55)]
)
def test_utilization_as_given_or_by_domain(domain: str, given: float | None, share: float) -> None:
    made = clocked(**A100, domains=domain, chip_hours=1e6, hardware_utilization=given, numerical_format="BF16")
    assert made["value"] == pytest.approx(1e6 * 3600 * 3.12e14 * share)
    assert ("utilisation" in made["assumptions"]) == (given is None)
    assert ("hardware_utilization" in made["fields"]) == (given is not None)


ABSTAINS: list[tuple[Cell, str]] = [
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
]


def test_hardware_abstains() -> None:
    usual = {**A100, "numerical_format": "BF16", "hardware_quantity": 10, "training_hours": 100}
    made = count_chip_hours(rows(*(usual | cell for cell, _ in ABSTAINS)))
    for (cell, reason), found in zip(ABSTAINS, made.to_dict("records"), strict=True):
        assert found.pop("reason").startswith(reason), cell
        assert pd.isna([*found.values()]).all(), cell


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


def test_the_band_of_chips_before_calibration() -> None:
    timed = clocked(**A100, numerical_format="BF16", chip_hours=1e6)
    assert timed["high"] / timed["value"] == pytest.approx(10**0.67, rel=1e-3)


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
