"""Five quantiles as a distribution: what lies below a value, and what limits leave of it."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from pipeline.impute.flop.distributions import truncated
from traincompute.base.quantiles import SHARES, Z, deviations, values

NORMAL = 23 + 0.5 * Z  # log-normal around 1e23, σ = 0.5 dex


def cut(low: float = -np.inf, high: float = np.inf, dex: np.ndarray = NORMAL) -> np.ndarray:
    return truncated(dex[None, :], np.array([low]), np.array([high]))[0]


@pytest.mark.parametrize("value", [20.0, 22.4, 23.0, 23.7, 25.0])
def test_between_and_beyond_the_quantiles_it_is_normal(value: float) -> None:
    z = deviations(NORMAL[None], np.array([value]))
    assert z == pytest.approx([(value - 23) / 0.5])
    assert values(NORMAL[None], z[:, None])[0] == pytest.approx([value])


def test_a_limit_leaves_the_conditional_distribution() -> None:
    below = NormalDist(23, 0.5).cdf(23.2)
    assert cut(high=23.2) == pytest.approx([NormalDist(23, 0.5).inv_cdf(share * below) for share in SHARES])
    above = NormalDist(23, 0.5).cdf(22.9)
    expected = [NormalDist(23, 0.5).inv_cdf(above + share * (1 - above)) for share in SHARES]
    assert cut(low=22.9) == pytest.approx(expected)


def test_an_end_of_its_own_takes_nothing_from_a_distribution_that_is_cut_at_the_other() -> None:
    """The interval of a model with an estimate is that of the estimate, unless a source states a limit."""
    assert cut(low=NORMAL[0], high=23.2).tolist() == cut(high=23.2).tolist() != cut(low=22, high=23.2).tolist()
    assert cut(low=22.9, high=NORMAL[-1]).tolist() == cut(low=22.9).tolist()


def test_limits_outside_the_interval_change_nothing() -> None:
    assert cut(20, 26) == pytest.approx(NORMAL, abs=1e-9)


@pytest.mark.parametrize(("low", "high"), [(-np.inf, 20.0), (26.0, np.inf), (25.0, 26.0)])
def test_far_beyond_the_limits_a_distribution_comes_to_lie_within_them(low: float, high: float) -> None:
    made = cut(low, high)
    assert (np.diff(made) > 0).all()
    assert low <= made[0]
    assert made[-1] <= high


def test_where_less_than_a_twentieth_lies_inside_the_whole_is_moved_until_so_much_does() -> None:
    lower, higher = (NormalDist(end, 0.5) for end in (20 + 0.5 * Z[-1], 26 - 0.5 * Z[-1]))
    assert cut(high=20) == pytest.approx([lower.inv_cdf(0.05 * share) for share in SHARES])
    assert cut(low=26) == pytest.approx([higher.inv_cdf(0.95 + 0.05 * share) for share in SHARES])


@pytest.mark.parametrize(("beyond", "changes"), [(0.0005, False), (0.002, True)])
def test_a_limit_counts_from_a_thousandth_beyond_the_end_of_the_interval(beyond: float, changes: bool) -> None:
    for found in (cut(low=NORMAL[0] + beyond), cut(high=NORMAL[-1] - beyond)):
        assert (found.tolist() != NORMAL.round(9).tolist()) == changes
    for found in (cut(low=NORMAL[0] - beyond), cut(high=NORMAL[-1] + beyond)):
        assert found.tolist() == NORMAL.round(9).tolist()
