"""Numbers that belong to a name."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pipeline.impute.trends import words
from traincompute.base.distributions import named_normals, normals


def test_the_numbers_of_a_name_are_the_same_beside_others_and_in_every_release() -> None:
    assert (named_normals(["a", "b"], 8)[1] == named_normals(["b"], 8)[0]).all()
    # SplitMix64 and the formula of Box and Muller, written with Python's own integers, from the eight bytes of
    # `printf a | b2sum -l 64`, 40f89e395b66422f, the least first
    assert named_normals(["a"], 2)[0].tolist() == pytest.approx([-0.7391818157747828, 1.5546597342501176])
    assert words(1, 2).tolist() == [9441442522235856127, 17532960557476522086]  # recorded with numpy 2.4


def test_they_are_standard_normal_and_independent() -> None:
    found = named_normals([f"run {i}" for i in range(200)], 1000)
    assert found.mean() == pytest.approx(0, abs=0.01)
    assert found.std() == pytest.approx(1, abs=0.01)
    assert (abs(found) > 1.6449).mean() == pytest.approx(0.1, abs=0.003)
    apart = np.corrcoef(found)[np.triu_indices(200, 1)]
    assert abs(apart).mean() == pytest.approx(np.sqrt(2 / np.pi / 1000), rel=0.03)
    assert normals(np.array([0, 0], dtype="uint64"))[0] == pytest.approx(math.sqrt(2 * 54 * math.log(2)))
