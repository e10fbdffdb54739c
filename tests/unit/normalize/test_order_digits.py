"""Digits that only keep equal values in order are not read."""

from __future__ import annotations

import pandas as pd
import pytest

from pipeline.normalize.order_digits import without_order_digits


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2.0001e+25", 2e25),  # Kimi K3 in Epoch AI's file of 2026-08-19, beside 2e25
        ("1.001e+25", 1e25),  # Inflection-2, whose note says that the second 1 is no figure
        ("2.0000000001e+22", 2e22),  # Evo
        ("6.000010000000001e+24", 6e24),  # Amazon Nova Pro
        ("1.0773400001e+23", 1.07734e23),  # AlphaStar
        ("3.911001e+25", 3.911e25),  # Llama Nemotron Ultra 253B
        ("5.0000000000000004e+22", 5e22),  # Stable Diffusion, rounding
        ("215700000010000000000.00", 2.157e20),  # Discriminator Guidance in the file of 2023
        ("9.31627008e+22", 9.31627008e22),  # GPT-NeoX-20B, a product
        ("2006640000000000.0", 2.00664e15),
        ("7.004e+18", 7.004e18),
    ],
)
def test_digits_that_keep_equal_compute_in_order_are_left_out(text: str, read: float) -> None:
    assert float(without_order_digits(pd.Series([text]), pd.Series(["FLOP"]))[0]) == read


def test_words_around_the_number_stay() -> None:
    texts = without_order_digits(pd.Series(["at least 2.0000000001e23", "1.0001e27 FLOP"]), pd.Series(["FLOP", "FLOP"]))
    assert texts.tolist() == ["at least 2e23", "1e27 FLOP"]


@pytest.mark.parametrize(
    ("text", "read"),
    [("16210006.0", 16210006), ("10000001", 10000001), ("247000000.00000003", 247e6), ("1000160000", 1000160000)],
)
def test_a_count_loses_rounding_alone(text: str, read: float) -> None:
    assert float(without_order_digits(pd.Series([text]), pd.Series(["parameter"]))[0]) == read
