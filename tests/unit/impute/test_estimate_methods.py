"""Hardware, forward passes and notes on published cases, the traps that must be refused, and properties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from estimation_rows import A100, rows

from pipeline.impute.flop.methods.forward_pass import RECALLED, count_passes
from pipeline.impute.flop.methods.hardware import count_chip_hours
from pipeline.impute.flop.methods.note import read_note
from pipeline.impute.flop.methods.operation_count import count_operations

V100 = {  # NVIDIA's data sheet of the SXM2 board: 125 TFLOP/s with tensor cores, 15.7 in FP32
    "peak_tensor_fp16_flops": 1.25e14,
    "peak_fp16_flops": 3.13e13,
    "peak_fp32_flops": 1.57e13,
    "hardware_type": "GPU",
}
Cell = dict[str, Any]


def clocked(**cell: Any) -> pd.Series:
    return count_chip_hours(rows(cell)).iloc[0]


def test_a_training_factor_takes_the_place_of_three() -> None:
    # Cognitron: 3 layers of 288 cells with 25 inputs each, 5 patterns × 20 rounds, no backward pass
    seen = {"domains": "Other", "forward_flop": 2 * 3 * 288 * 25, "training_examples": 100}
    without = count_passes(rows(seen | {"training_factor": 1, "recalled": "training_factor"})).iloc[0]
    assert without["value"] == pytest.approx(43200 * 100)
    assert without["formula"] == "1 × 4.32e+04 FLOP per example forward × 100 examples"
    assert without["fields"] == "forward_flop;training_examples;training_factor"
    assert without["assumptions"] == RECALLED


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


@pytest.mark.parametrize(("times", "is_counted"), [(2.9, True), (3.1, False)])
def test_without_a_format_a_chip_counts_where_its_rates_are_within_a_factor_of_three(
    times: float, is_counted: bool
) -> None:
    chip = {"peak_tensor_fp16_flops": times * 1e14, "peak_fp32_flops": 1e14, "hardware_type": "GPU"}
    made = clocked(**chip, chip_hours=100)
    assert bool(pd.notna(made["value"])) is is_counted


def test_a_forward_pass_is_told_apart_from_parameters_and_tokens() -> None:
    passes = count_passes(rows({"forward_flop": 7.74e9, "training_examples": 1e8}))
    tokens = count_operations(rows({"parameters": 1e9, "training_tokens": 1e11}))
    assert passes["assumptions"].tolist() == ["counted from a forward pass"]
    half = {"forward_flop": 7.74e9, "training_examples": 1e8, "recalled": "training_examples"}
    assert count_passes(rows(half))["assumptions"].tolist() == ["counted from a forward pass, partly recalled"]
    other = half | {"recalled": "epochs"}  # which it does not rest on
    assert count_passes(rows(other))["assumptions"].tolist() == ["counted from a forward pass"]
    assert tokens["assumptions"].tolist() == [""]
