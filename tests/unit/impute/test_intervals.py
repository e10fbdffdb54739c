"""Intervals by errors of the same kind, worked out by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pipeline.impute.flop.formulas import ALONE
from pipeline.impute.flop.intervals import above_base, make_intervals, quantiles, weighted_quantile, with_quantiles
from pipeline.impute.flop.methods import base_model, hardware, statistical
from pipeline.impute.flop.result import ENDS


def errors(method: str, kind: str, dex: np.ndarray) -> pd.DataFrame:
    """Estimates of `kind` by a method, of which log10(estimate ÷ published) is `dex`."""
    ids = [f"{method}:{kind}:{place}" for place in range(len(dex))]
    return pd.DataFrame({"model_id": ids, "method": method, "assumptions": kind, "error_dex": dex, "weight": 1.0})


def line(found: pd.DataFrame, method: str, kind: str) -> list[float]:
    row = found[(found["method"] == method) & (found["assumptions"] == kind)]
    return row.filter(like="dex_").to_numpy()[0].tolist()


@pytest.mark.parametrize(
    ("values", "weights", "share", "expected"),
    [
        (range(1, 20), 1.0, 0.5, 10),  # the 10th of 19: (19 + 1) / 2
        (range(1, 20), 1.0, 0.9, 18),
        (range(1, 4), 1.0, 0.9, 3),  # no more than the largest
        ([1, 2, 3], [1.0, 1.0, 8.0], 0.5, 3),
        ([3, 1, 2], [8.0, 1.0, 1.0], 0.05, 1),
    ],
)
def test_a_quantile_has_the_correction_for_a_finite_sample(
    values: list[float], weights: list[float], share: float, expected: float
) -> None:
    numbers = np.array(list(values), dtype="float64")
    assert weighted_quantile(numbers, np.broadcast_to(weights, numbers.shape), share) == expected


def test_a_kind_of_thirty_models_counts_as_much_as_its_method() -> None:
    narrow, wide = np.linspace(-0.1, 0.1, 30), np.linspace(-1, 1, 30)
    found = make_intervals(pd.concat([errors(hardware.METHOD, "a", narrow), errors(hardware.METHOD, "b", wide)]))
    half = {name: weighted_quantile(np.abs(dex), np.ones(len(dex)), 0.9)
            for name, dex in {"a": narrow, "": np.concatenate([narrow, wide])}.items()}  # fmt: skip
    assert line(found, hardware.METHOD, "a")[-1] == pytest.approx((half["a"] + half[""]) / 2, abs=0.001)
    assert line(found, hardware.METHOD, "")[-1] == pytest.approx(half[""], abs=0.001)
    low, first, middle, third, high = line(found, hardware.METHOD, "a")
    assert (low, first, middle) == (-high, -third, 0), "either side alike"


def test_few_models_are_no_kind_of_their_own_and_a_stated_format_makes_no_difference() -> None:
    usual = f"utilisation 0.30;{'usual number format of the chip'}"
    found = make_intervals(
        pd.concat([errors(hardware.METHOD, "few", np.zeros(4)), errors(hardware.METHOD, usual, np.ones(9))])
    )
    assert found["assumptions"].tolist() == ["", "utilisation 0.30"]


def test_the_regression_has_a_side_of_its_own_and_may_miss_the_middle() -> None:
    found = make_intervals(errors(statistical.METHOD, "from date and kind", -np.linspace(0, 2, 201)))
    assert line(found, statistical.METHOD, "") == pytest.approx([0.1, 0.5, 1.0, 1.5, 1.9], abs=0.03)


def test_above_its_base_alone_a_model_goes_up_only() -> None:
    off = -np.concatenate([np.zeros(15), np.linspace(0, 1, 15)])
    found = make_intervals(
        pd.concat([errors(base_model.METHOD, ALONE, off), errors(base_model.METHOD, "none", np.ones(40))])
    )
    up = above_base(found)
    assert up is not None
    assert up[0] == 0
    assert (np.diff(up) >= 0).all()
    assert up[-1] > 0.8, "not shrunk towards the errors of sums"
    assert above_base(found[:0]) is None


def test_an_estimate_is_no_surer_than_its_inputs_and_bounds_stay() -> None:
    found = make_intervals(errors(hardware.METHOD, "none", np.linspace(-0.2, 0.2, 99)))
    made = pd.DataFrame(
        {
            "method": [hardware.METHOD, hardware.METHOD, "stated_in_note", hardware.METHOD],
            "assumptions": "",
            "value": [1e20, 1e20, 1e20, np.nan],
            "inputs_dex": [np.nan, 1.0, np.nan, np.nan],
            "low": [1.0, 1.0, 5e19, 7.0],
            "high": [2.0, 2.0, 2e20, np.nan],
        }
    )
    ends = with_quantiles(made, found)
    assert ends["low"].tolist() == pytest.approx([6.607e19, 1e19, 5e19, 7.0], rel=0.02)
    assert ends["high"].tolist()[:3] == pytest.approx([1.514e20, 1e21, 2e20], rel=0.02)
    assert quantiles(made, found)[ENDS].notna().all(axis=1).tolist() == [True, True, False, True]
