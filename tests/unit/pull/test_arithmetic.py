"""Arithmetic in notes: which calculations are found, how they are written, and what they evaluate to."""

from __future__ import annotations

import re
import time

import pytest

from pipeline.pull.notes.arithmetic import plain_numbers, read_arithmetic
from pipeline.pull.notes.evaluation import evaluate
from pipeline.pull.notes.sentences import agree, sentence_of


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
    eighty = " * ".join(["12345678901"] * 5 + ["1234567890"])
    assert (read_arithmetic(eighty), read_arithmetic(eighty + "1")) == ([eighty], [])
    found = read_arithmetic("2*(571+960)=3062 and 3062*3*26640*50=12235752000=1.22e10")
    assert found == ["2 * (571 + 960) = 3062", "3062 * 3 * 26640 * 50 = 12235752000"]
    assert all(evaluate(text)[0] == evaluate(text)[1] for text in found)


@pytest.mark.parametrize(
    ("time", "factors", "others"),
    [
        ("minutes", ["60"], ["59"]),
        ("hours", ["3600", "60 * 60"], ["60", "24"]),
        ("GPU-hours", ["3600"], ["60"]),
        ("days", ["86400", "24 * 3600", "24 * 60 * 60"], ["24", "3600", "3600 * 25"]),
        ("weeks", ["604800", "7 * 86400", "7 * 24 * 3600"], ["86400", "7", "604799"]),
        ("months", ["28 * 86400", "31 * 24 * 3600"], ["27 * 86400", "32 * 86400", "30", "86400"]),
        ("years", ["360 * 86400", "366 * 24 * 3600"], ["359 * 86400", "367 * 86400", "365", "86400"]),
        ("s", ["2"], []),  # FLOP/s are meant for them
        ("GB", ["2"], []),  # of memory: no time
        ("ms", [], ["2"]),
    ],
)
def test_a_time_is_taken_where_factors_turn_it_into_seconds(time: str, factors: list[str], others: list[str]) -> None:
    for factor in factors:
        assert read_arithmetic(f"5 {time} * {factor} * 1e12") == [f"5 * {factor} * 1e12"]
    for factor in others:
        assert read_arithmetic(f"5 {time} * {factor} * 1e12") == []


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        *(
            (f"7 {prefix}FLOP/s * 5 * 1e12", [f"7e{power} * 5 * 1e12"])
            for prefix, power in zip("kMGTPEZ", range(3, 24, 3), strict=True)
        ),
        ("2 GHz * 4 * 3e9", ["2e9 * 4 * 3e9"]),
        ("3 PF * 4 * 3e9", ["3e15 * 4 * 3e9"]),
        ("999999999 TFLOP/s * 5 * 3600", ["999999999e12 * 5 * 3600"]),
        ("1e9 TFLOP/s * 5 * 3600", []),  # so many cannot be meant
        ("4e30 * 123/2 trillion * 3", []),  # (123/2) trillion or 123/(2 trillion)?
        ("4e30 * 123/2 * 3 trillion", ["4e30 * 123 / 2 * 3e12"]),
        ("(3 * 4\n6 * 7e9 * 1e12", ["6 * 7e9 * 1e12"]),  # a bracket that is not closed spoils its line alone
        # without a result: a size, a range and a ratio are none
        ("100 * 100 * 100", ["100 * 100 * 100"]),
        ("100 * 100 * 99", []),
        ("40000 * 25000", ["40000 * 25000"]),
        ("40000 * 24999", []),
        ("6e9 * 2e9 - 3", []),
        # with a result from which it is at most a twentieth away, whatever else is unclear
        ("10 days * 2e14 = 2.1e15", ["10 * 2e14 = 2.1e15"]),
        ("10 days * 2e14 = 2.11e15", []),
        ("100 - 20 = 80", ["100 - 20 = 80"]),
        ("100 - 20 = 50", []),
        ("60 * 80 = 90", ["60 * 80 = 90"]),  # a slip of the note shows
    ],
)
def test_what_makes_a_calculation_clear(note: str, expected: list[str]) -> None:
    assert read_arithmetic(note) == expected


@pytest.mark.parametrize(
    ("numbers", "one"), [([], False), ([5.0], True), ([100.0, 99.0, 99.5], True), ([100.0, 98.9], False)]
)
def test_figures_that_are_a_hundredth_apart_are_one(numbers: list[float], one: bool) -> None:
    assert agree(numbers) is one


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("7", "7"),
        ("It has 7", "It has 7"),
        ("One. It has 7 billion! Two?", "It has 7 billion!"),
        ("a; b\n\nv1.5 has 7\nc", "v1.5 has 7"),
        ("Is it? 7.", "7."),
    ],
)
def test_a_sentence_ends_with_its_sign_or_its_line(text: str, sentence: str) -> None:
    found = re.search("7", text)
    assert found
    assert sentence_of(text, found) == sentence


def test_powers_of_ten_become_plain_numbers() -> None:
    assert plain_numbers("3.1 × 10^9 or 10²³ or 7.8·10**13") == "3.1e9 or 1e23 or 7.8e13"


@pytest.mark.parametrize(
    ("expression", "value", "stated"),
    [
        ("6 * 37e9 * 14.8e12 = 3.3e24", 3.2856e24, 3.3e24),
        ("2^10 - 24", 1000.0, None),
        ("1 + 2 * 3 ^ 2 / (4 - 1)", 7.0, None),
        ("-2 * 3", -6.0, None),
        ("0 ^ 2 + 0.5 ^ 2", 0.25, None),
        ("2 ^ 99 * 2 ^ (-99)", 1.0, None),
    ],
)
def test_evaluate(expression: str, value: float, stated: float | None) -> None:
    computed, right = evaluate(expression)
    assert computed == pytest.approx(value)
    assert right == stated


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "6 *",
        "1 / 0",
        "10^10^10^10",
        "9^99^9",
        "1e99 * 1e99",
        "(1",
        "1 = 2 = 3",
        "abs(1)",
        "__import__('os')",
        "1 // 2",
        "1 if 1 else 2",
        "2^100",
        "2^(-100)",
        "(-1)^2",
        "1e100",
        "(-8)^0.5",
        "1, 2",
        "3 4",
        "(" * 300,
        "-" * 401,
        "1e400",
        "a",
    ],
)
def test_evaluate_refuses_all_but_bounded_arithmetic(expression: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        evaluate(expression)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("a" * 81, f"not arithmetic of at most 400 characters: '{'a' * 80}'"),
        ("1+" * 41, f"'{'1+' * 40}': invalid syntax (<unknown>, line 1)"),
        ("9^99*" * 20 + "1", f"'{'9^99*' * 16}' is too large"),
    ],
)
def test_what_is_refused_is_told_in_one_line(expression: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as caught:
        evaluate(expression)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "piece", ["1 ", "12", "1,000 ", "3 * ", "(1", "1) ", "9 x ", "10^", "= ", "1.5 tokens ", "/ a "]
)
def test_long_garbage_takes_no_time(piece: str) -> None:
    start = time.process_time()
    read_arithmetic((piece * 20_000)[:20_000])
    assert time.process_time() - start < 2  # a pattern that goes back over its text takes minutes
