"""Arithmetic in notes: which calculations are found, how they are written, and what they evaluate to."""

from __future__ import annotations

import time

import pytest

from pipeline.pull.notes.arithmetic import plain_numbers, read_arithmetic
from pipeline.pull.notes.evaluation import evaluate


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        # DeepSeek-V3 (arXiv:2412.19437): 37e9 active parameters, 14.8e12 tokens
        ("6 × 37B × 14.8T = 3.29e24 FLOPs of pretraining", ["6 * 37e9 * 14.8e12 = 3.29e24"]),
        # GPT-3, table D.1 of arXiv:2005.14165: 174,600 million parameters, 300 billion tokens
        (
            "6 FLOP/parameter/token * 174.6 billion parameters * 300 billion tokens = 3.14×10²³ FLOP",
            ["6 * 174.6e9 * 300e9 = 3.14e23"],
        ),
        # GAIA-1 (arXiv:2309.17080): A100 peak, chip-hours
        (
            "312000000000000 FLOP / GPU / s [A100] * 34560 GPU-hours * 3600 sec / hour * 30% = 1.16e+22",
            ["312000000000000 * 34560 * 3600 * 0.3 = 1.16e22"],
        ),
        ("16 * 312 teraFLOP/s * 21 * 24 * 3600 * 0.3 (assumed)", ["16 * 312e12 * 21 * 24 * 3600 * 0.3"]),
        ("(8) * (3.12e14) * (4.5 * 24 * 3600) = 9.7e20", ["8 * 3.12e14 * (4.5 * 24 * 3600) = 9.7e20"]),
        # C = 6ND is a label; 300,000 steps of 512 sequences of 1,024 (Megatron-LM, arXiv:1909.08053)
        ("C = 6ND = 6 * 1.2e9 * 1.57e11 ≈ 1.13e21", ["6 * 1.2e9 * 1.57e11 = 1.13e21"]),
        ("300,000 × 512 × 1,024 = 1.57e11 tokens", ["300000 * 512 * 1024 = 1.57e11"]),
        ("1.2e24 FLOP (base) + 7e21 FLOP (tuning) = 1.207e24", ["1.2e24 + 7e21 = 1.207e24"]),
        # a decimal comma (Aria, arXiv:2410.05993: 3.5 billion active parameters, 6.8e12 tokens)
        ("6 * 3,5 * 10^9 * 6,8 * 10^12 = 1.428e23", ["6 * 3.5e9 * 6.8e12 = 1.428e23"]),
    ],
)
def test_calculations_are_kept_as_operands_and_operators(note: str, expected: list[str]) -> None:
    assert read_arithmetic(note) == expected


@pytest.mark.parametrize(
    "note",
    [
        "512 chips * 3 months * 1e14 FLOP/s = 1.2e23",  # a time that the calculation does not convert
        "57.7 days * 1024 chips * 123 TFLOPS * 56.5%",
        "6 * N * 14e9 = 1e22",  # a letter for a number
        "sqrt(3e22 * 7e22) = 5e22",
        "500 days * 123/2 trillion * 0.4",  # (123/2) trillion or 123/(2 trillion)?
        "6 * 912 344 tokens * 50 = 2.7e14",  # one number or two?
        "images of 224 x 224 pixels",
        "Mixtral 8x22B on 8x A100",
        "10 - 20 epochs, 2020/2021",
        "128 * (312 * 1012) = 4e16",  # a superscript that was lost
        "half of 3e9 * two stages * 6e9 = 1e20",
        "see https://example.org/?q=6+*+12+billion",
        "no figures at all",
        "",
    ],
)
def test_what_cannot_be_computed_from_the_figures_alone_is_left_out(note: str) -> None:
    assert read_arithmetic(note) == []


def test_a_published_value_ten_times_its_own_arithmetic_shows() -> None:
    # StyleGAN: published 3.93e16; Megatron-LM 1.2B: published 1.13e22 (Epoch AI, snapshot of 2026-05-03)
    style_gan = read_arithmetic("6 * 26.2M * 25M ~= 39300000000000000")
    megatron = read_arithmetic("6*1.57*10e11*1.2e9 = 1.13e22 FLOP")
    assert [evaluate(text)[0] / 3.93e16 for text in style_gan] == [pytest.approx(0.1)]
    assert [evaluate(text)[0] / 1.13e22 for text in megatron] == [pytest.approx(0.1, rel=0.01)]


def test_a_result_may_stand_on_the_next_line() -> None:
    assert read_arithmetic("6 FLOP * 7e9 parameters * 1e12 tokens\n= 4.2e22 FLOP") == ["6 * 7e9 * 1e12 = 4.2e22"]


def test_every_calculation_fits_in_a_cell_and_can_be_evaluated() -> None:
    long = " * ".join(["1234567890123"] * 8)
    assert read_arithmetic(f"{long} = 1e96") == []
    found = read_arithmetic("2*(571+960)=3062 and 3062*3*26640*50=12235752000=1.22e10")
    assert found == ["2 * (571 + 960) = 3062", "3062 * 3 * 26640 * 50 = 12235752000"]
    assert all(evaluate(text)[0] == evaluate(text)[1] for text in found)


def test_powers_of_ten_become_plain_numbers() -> None:
    assert plain_numbers("3.1 × 10^9 or 10²³ or 7.8·10**13") == "3.1e9 or 1e23 or 7.8e13"


@pytest.mark.parametrize(
    ("expression", "value", "stated"),
    [
        ("6 * 37e9 * 14.8e12 = 3.3e24", 3.2856e24, 3.3e24),
        ("2^10 - 24", 1000.0, None),
        ("1 + 2 * 3 ^ 2 / (4 - 1)", 7.0, None),
        ("-2 * 3", -6.0, None),
    ],
)
def test_evaluate(expression: str, value: float, stated: float | None) -> None:
    computed, right = evaluate(expression)
    assert computed == pytest.approx(value)
    assert right == stated


@pytest.mark.parametrize(
    "expression",
    ["", "6 *", "1 / 0", "10^10^10^10", "9^99^9", "1e99 * 1e99", "(1", "1 = 2 = 3", "abs(1)",
     "__import__('os')",
     "1 // 2", "1 if 1 else 2", "(-8)^0.5", "1, 2", "3 4", "(" * 300, "-" * 401, "1e400", "a"],
)  # fmt: skip
def test_evaluate_refuses_all_but_bounded_arithmetic(expression: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        evaluate(expression)


@pytest.mark.parametrize(
    "piece", ["1 ", "12", "1,000 ", "3 * ", "(1", "1) ", "9 x ", "10^", "= ", "1.5 tokens ", "/ a "]
)
def test_long_garbage_takes_no_time(piece: str) -> None:
    start = time.process_time()
    read_arithmetic((piece * 20_000)[:20_000])
    assert time.process_time() - start < 2  # a pattern that goes back over its text takes minutes
