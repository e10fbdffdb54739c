"""What follows from a measured run, by hand on runs of a few cells."""

from __future__ import annotations

import pytest
from derivation import NAN, frame
from estimation_rows import CONTEXT

from pipeline.impute.derive import derive_measured

PEAK = 1e15
CHIPS = [
    {"hardware_id": "h", "name": "H", "peak_tensor_fp16_flops": PEAK, "peak_fp8_flops": 2e15, "peak_fp4_flops": 4e15},
    {"hardware_id": "a", "name": "A", "peak_tensor_fp16_flops": PEAK},
    {"hardware_id": "v5", "name": "V5", "peak_tensor_fp16_flops": PEAK, "peak_int8_ops": 3e15},
    {"hardware_id": "v6", "name": "V6", "peak_tensor_fp16_flops": PEAK, "peak_fp8_flops": 2e15, "peak_int8_ops": 3e15},
]


def measured(*cells: dict[str, object]) -> list[dict[str, object]]:
    """Each run as it is published, without what is null."""
    named = (
        {"run_id": f"{n:02}", "name": str(n), "chip": "H", "source_id": "s", **cell} for n, cell in enumerate(cells)
    )
    chips = frame("hardware", *CHIPS)
    made = derive_measured(CONTEXT, frame("measured_runs", *named), chips)
    return [row.dropna().to_dict() for _, row in made.iterrows()]


def test_a_benchmark_says_what_was_trained_unless_the_run_says_otherwise() -> None:
    own = {"model": "Own", "stage": "SFT", "is_mixture_of_experts": True, "parameters": 1e9, "sequence_length": 512}
    plain, stated, none = measured(
        {"benchmark": "gpt3", "samples": 10.0}, {"benchmark": "gpt3", "samples": 10.0, **own}, {"samples": 10.0}
    )
    about = {"model": "GPT-3 175B", "stage": "pre-training", "is_mixture_of_experts": False, "parameters": 1.75e11}
    assert {name: plain[name] for name in about} == about
    assert (plain["training_tokens"], plain["training_compute_flop"]) == (20480, 6 * 1.75e11 * 20480)
    assert {name: stated[name] for name in own} == own
    assert (stated["training_tokens"], stated["training_compute_flop"]) == (5120, 6 * 1e9 * 5120)
    assert not {"model", "parameters", "training_tokens", "training_compute_flop"} & set(none)


FORMATS_BY_SPEED: list[tuple[str, str | None, float, str | None, str | None, float]] = [
    ("H", "BF16", 5e14, "BF16", "stated", 0.5),
    ("H", "FP8", 5e14, "FP8", "stated", 0.25),
    ("H", "NVFP4", 5e14, "NVFP4", "stated", 0.125),
    ("H", "FP32", 5e14, "FP32", "stated", NAN),  # the peak of which is not looked at
    ("H", "BF16", 9e14, "BF16", "stated", 0.9),  # what is stated holds
    ("H", None, 7.5e14, None, None, NAN),  # 16 bits may reach that much
    ("H", None, 7.6e14, "FP8", "inferred", 0.38),
    ("A", None, 7.6e14, "FP8", "inferred", NAN),
    ("V5", None, 7.5e14, None, None, NAN),
    ("V5", None, 9e14, "INT8", "inferred", 0.3),
    ("V5", "BF16", 9e14, "BF16", "stated", 0.9),
    ("V6", None, 9e14, "FP8", "inferred", 0.45),
    ("V6", "INT8", 9e14, "INT8", "stated", 0.3),
]


def test_the_format_is_stated_or_follows_from_the_speed() -> None:
    names = ("chip", "numerical_format", "achieved_flops_per_chip")
    made = measured(*(dict(zip(names, case[:3], strict=True)) for case in FORMATS_BY_SPEED))
    for (chip, stated, achieved, *expected), found in zip(FORMATS_BY_SPEED, made, strict=True):
        used = [found.get(name) for name in ("format_in_use", "format_basis")]
        share = pytest.approx(found.get("share_of_peak", NAN), nan_ok=True)
        assert [*used, share] == expected, (chip, stated, achieved)
        assert found["share_of_16bit_peak"] == pytest.approx(achieved / PEAK)
