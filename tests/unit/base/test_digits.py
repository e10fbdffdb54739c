"""Numbers to a fixed number of digits: nothing hangs on a last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.base.digits import decimals, log10, share, significant, total

FINITE = st.floats(min_value=-1e40, max_value=1e40, allow_nan=False)


@pytest.mark.parametrize(
    ("value", "rounded"),
    [
        (5.0000000000001e26, 5e26),  # Epoch AI, Grok 4
        (247000000.00000003, 247e6),
        (2.38010000000001e23, 2.3801e23),
        (123456789012.4, 123456789012.0),
        (-0.1234567890126, -0.123456789013),
        (12345678901.26, 12345678901.3),
        (1234567890123.0, 1234567890120.0),
        (0.0, 0.0),
        (1e-40, 1e-40),
        (7.23347347957e34, 7.23347347957e34),  # its last digit stands for 10²³, which no float is
        (float("inf"), float("inf")),
    ],
)
def test_twelve_significant_digits(value: float, rounded: float) -> None:
    assert significant(np.array([value])).tolist() == [rounded]


def test_a_null_stays_null_and_other_numbers_of_digits_can_be_asked_for() -> None:
    assert np.isnan(significant(np.array([np.nan]))).all()
    assert significant(np.array([1.23456e24, 99995.0, 1.0]), 4).tolist() == [1.235e24, 1e5, 1.0]


@given(st.lists(FINITE, max_size=20))
def test_what_was_rounded_is_a_decimal_of_twelve_digits_and_stays_as_it_is(values: list[float]) -> None:
    once = significant(np.array(values, dtype="float64"))
    assert once.tolist() == [float(f"{value:.12g}") for value in once.tolist()]
    assert significant(once).tolist() == once.tolist()
    assert once.tolist() == pytest.approx(values, rel=1e-11)


def test_what_differs_in_the_last_bit_gives_one_number() -> None:
    values = np.array([0.375, np.nextafter(0.375, 0), np.nextafter(0.375, 1)])
    assert set(decimals(values, 2).tolist()) == {0.38}
    assert set(log10(np.array([1e21, np.nextafter(1e21, 0)])).tolist()) == {21.0}


def test_a_logarithm_has_nine_decimals() -> None:
    assert log10(np.array([10**0.12345678949, 10**0.12345678951])).tolist() == [0.123456789, 0.12345679]


def test_a_share_is_counted_in_whole_numbers() -> None:
    """27 of 32 is 0.84375 exactly, in whatever order it is added up."""
    chosen = np.arange(32) < 27
    assert share(np.ones(32), chosen) == 0.84375
    assert share(np.full(10, 0.1), np.arange(10) < 3) == pytest.approx(0.3)
    assert total([1e16, 1.0, -1e16]) == 1.0
