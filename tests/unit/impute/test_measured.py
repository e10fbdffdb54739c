"""Estimates held against measured runs: no run tells its own answer, and the methods themselves are asked."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pipeline.config import load_constants
from pipeline.impute.calibration import measured_runs
from pipeline.paths import CHECKOUT, Paths

NO_ERRORS = pd.DataFrame({"method": [], "assumptions": [], "half_width_90": []}).astype(
    {"method": "str", "assumptions": "str"}
)
CONSTANTS = load_constants(Paths(CHECKOUT))
H100 = {
    "hardware_id": "h100",
    "name": "NVIDIA H100 SXM5 80GB",
    "type": "GPU",
    "tdp_w": 700.0,
    "peak_tensor_fp16_flops": 9.894e14,
    "peak_fp8_flops": 1.979e15,
    "peak_tf32_flops": 4.945e14,
    "peak_fp32_flops": 6.69e13,
    "peak_fp16_flops": 1.338e14,
    "peak_fp4_flops": np.nan,
    "peak_fp64_flops": 3.35e13,
}


def runs(*rows: dict[str, object]) -> pd.DataFrame:
    """Runs on H100 as they are published, described."""
    usual = {
        "chip": H100["name"],
        "hardware_id": "h100",
        "chip_quantity": 512.0,
        "numerical_format": "BF16",
        "source_id": "s",
        "submitter": "one",
        "model": None,
        "system": "x",
        "benchmark": None,
        "is_mixture_of_experts": False,
        "training_hours": 1.0,
        "achieved_flops_per_chip": np.nan,
        "power_per_chip_w": np.nan,
        "training_energy_kwh": np.nan,
    }
    frame = pd.DataFrame([usual | row for row in rows])
    frame = frame.astype(dict.fromkeys(("numerical_format", "submitter", "model", "system", "benchmark"), "str"))
    return measured_runs.describe(frame, pd.DataFrame([H100]), CONSTANTS).assign(method="hardware")


def test_the_hardware_method_says_30_percent_of_the_peak_of_the_stated_format() -> None:
    described = runs(
        {"achieved_flops_per_chip": 0.45 * 9.894e14, "training_hours": 2.0},
        {"achieved_flops_per_chip": 0.45 * 1.979e15, "numerical_format": "FP8", "training_hours": np.nan},
        {"achieved_flops_per_chip": 0.6 * 9.894e14, "numerical_format": None},
    )
    found = measured_runs.compare(described, NO_ERRORS, CONSTANTS)
    assert found["factor"].tolist() == pytest.approx([0.30 / 0.45, 0.30 / 0.45, 0.30 / 0.6])


def test_the_energy_of_a_server_is_told_without_its_building() -> None:
    # 856 W from the mains per chip in MLPerf Training 4.0, GPT-3 on 512 H100; the formula: 700 W × 1.82 × 0.75
    row = {"power_per_chip_w": 856.0, "training_energy_kwh": 512 * 0.856, "benchmark": "gpt3"}
    found = measured_runs.compare(runs(row | {"achieved_flops_per_chip": 0.45 * 9.894e14}), NO_ERRORS, CONSTANTS)
    assert found["method"].to_dict() == {0: "hardware", 1: "energy"}
    assert found["factor"].tolist() == pytest.approx([0.30 / 0.45, 700 * 1.82 * 0.75 / 856])
    assert found["half_width"].tolist() == pytest.approx([np.nan, np.hypot(0.15, 0.13)], nan_ok=True)


def test_a_prior_comes_from_the_runs_of_others() -> None:
    others = [
        {"achieved_flops_per_chip": share * 9.894e14, "submitter": f"other {share}"}
        for share in (0.3, 0.35, 0.4, 0.45, 0.5)
    ]
    own = {"achieved_flops_per_chip": 0.9 * 9.894e14}
    described = runs(own, own, own, own, own, own, *others)
    prior = measured_runs.of_others(described, "share", measured_runs.CLASSES["hardware"])
    assert prior[0] == pytest.approx(0.4)  # the median of the others, though six runs of its own are at 0.9
    assert prior[10] == pytest.approx(0.9)  # of the last the six and four others


def test_a_class_with_few_runs_of_others_takes_the_next_wider_one() -> None:
    small = {"chip_quantity": 8.0, "achieved_flops_per_chip": 0.5 * 9.894e14, "submitter": "small"}
    large = [{"achieved_flops_per_chip": 0.4 * 9.894e14, "submitter": f"large {n}"} for n in range(5)]
    experts = [
        {"achieved_flops_per_chip": 0.1 * 9.894e14, "is_mixture_of_experts": True, "submitter": f"moe {n}"}
        for n in range(9)
    ]
    few = [small | {"achieved_flops_per_chip": 0.8 * 9.894e14, "submitter": f"few {n}"} for n in range(2)]
    described = runs(small, *large, *experts, *few)
    assert described["scale"].tolist()[:2] == ["1 to 63 chips", "64 to 1023 chips"]
    prior = measured_runs.of_others(described, "share", measured_runs.CLASSES["hardware"])
    assert prior[0] == pytest.approx(
        0.4
    )  # two small runs are too few: the dense ones of the generation, not the mixtures


def test_the_summary_says_how_many_runs_lie_inside() -> None:
    part = pd.DataFrame(
        {
            "method": "hardware",
            "factor": [0.5, 1.0, 2.0, 10.0],
            "half_width": 0.5,
            "prior_factor": [1.0, 1.0, 1.0, 2.0],
            **dict.fromkeys(measured_runs.SHOWN["hardware"], "one"),
        }
    )
    whole = measured_runs.summarize(part).iloc[0]
    assert (whole["runs"], whole["factor_50"], whole["inside"]) == (4, 1.5, 0.75)  # 10 is more than a factor √10 off
    assert (whole["prior_factor_50"], whole["prior_inside"]) == (1.0, 0.75)


def test_a_checkout_without_measured_runs_has_no_tables(small) -> None:  # type: ignore[no-untyped-def]
    from pipeline.config import load_config

    assert measured_runs.measure_runs(load_config(small), pd.DataFrame()) == {}
