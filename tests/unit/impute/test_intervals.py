"""Errors of estimates made the same way, and the bands of published values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.impute.flop import conformal
from pipeline.impute.flop.published_intervals import band_factor, published_bounds, within_supply
from pipeline.impute.flop.result import rounded

UNCOUNTED = {"parameters": np.nan, "parameters_active": np.nan, "training_tokens": np.nan, "base_model_id": None}


def scored(errors: list[float], assumptions: list[str | None], method: str = "hardware") -> pd.DataFrame:
    ids = [f"m{number}" for number in range(len(errors))]
    return pd.DataFrame(
        {"model_id": ids, "method": method, "assumptions": assumptions, "error_dex": errors, "weight": 1.0}
    )


def test_an_interval_of_90_percent_holds_90_percent_of_new_errors() -> None:
    draw = np.random.default_rng(5)
    known, new = draw.standard_t(3, 4000), draw.standard_t(3, 20_000)
    table = conformal.make_intervals(scored(list(known), ["x"] * 4000))
    half = table.set_index("assumptions").loc["x"]
    assert np.mean(np.abs(new) <= half["half_width_90"]) == pytest.approx(0.90, abs=0.02)
    assert np.mean(np.abs(new) <= half["half_width_50"]) == pytest.approx(0.50, abs=0.03)
    shares = [np.mean(np.abs(new) <= half[name]) for name in conformal.POINTS]
    assert shares == pytest.approx(list(conformal.SHARES), abs=0.03)


def test_few_alike_take_the_width_of_the_method_and_the_format_makes_no_difference() -> None:
    errors = [0.1] * 30 + [1.0] * 3
    words = ["utilisation 0.30", "utilisation 0.30;usual number format of the chip"] * 15 + ["rare"] * 3
    table = conformal.make_intervals(scored(errors, words))
    assert table["assumptions"].tolist() == ["", "utilisation 0.30"]
    made = pd.DataFrame({"method": ["hardware", "hardware", "note"], "assumptions": [words[1], "rare", None]})
    alike, rare, unknown = conformal.half_width(made, table)
    assert (alike, rare) == (0.1, 1.0)
    assert np.isnan(unknown)


def test_the_quantile_is_corrected_for_a_finite_sample() -> None:
    values, weights = np.arange(1.0, 20.0), np.ones(19)
    assert conformal.weighted_quantile(values, weights, 0.9) == 18  # ⌈20 · 0.9⌉ = 18 of 19
    assert conformal.weighted_quantile(values[:5], weights[:5], 0.9) == 5  # five cannot promise 90 %: the largest
    assert conformal.weighted_quantile(values, weights * 0.5, 0.9) == 18


def test_a_published_value_has_the_band_of_its_word_and_a_stated_bound_stays() -> None:
    models = pd.DataFrame(
        {
            "training_compute_flop": [1e24, 1e24, 1e24, 1e24, 1e24, np.nan],
            "training_compute_source": ["third_party", "third_party", "reported", "imputed", "third_party", None],
            "training_compute_confidence": ["confident", "likely", "confident", None, None, None],
            "training_compute_low": [np.nan, 9e23, np.nan, 5e23, np.nan, 2e22],
            "training_compute_high": [np.nan, np.nan, np.nan, 6e24, np.nan, np.nan],
        }
    )
    made = published_bounds(models.assign(**UNCOUNTED), {"confident": 3, "likely": 10})
    # epoch.ai/data/ai-models-documentation/estimation: confident is a factor 3, likely a factor 10
    assert made["training_compute_low"].tolist() == [3.333e23, 9e23, 6.667e23, 5e23, 1e23, 2e22]
    assert made["training_compute_high"].tolist()[:5] == [3e24, 1e25, 1.5e24, 6e24, 1e25]
    assert np.isnan(made["training_compute_high"].iloc[5])


def test_the_band_of_a_value_is_that_of_its_word_unless_its_developer_says_it() -> None:
    source, word = "training_compute_source", "training_compute_confidence"
    models = pd.DataFrame([("reported", None), ("corrected", None), (None, "unheard of"), (None, "confident")])
    models = models.set_axis([source, word], axis=1).assign(training_compute_flop=1e24, **UNCOUNTED)
    assert band_factor(models, {"confident": 3, "likely": 10}).tolist() == [1.5, 10, 10, 3]


@pytest.mark.parametrize(
    ("cells", "factor"),
    [
        ({}, 3),  # DeepSeek-V4-Pro: 6 × 49e9 × 33e12 = 9.702e24, which its source calls likely
        ({"training_compute_confidence": "speculative"}, 3),
        ({"training_compute_source": "reported"}, 1.5),
        ({"training_compute_flop": 1.1e25}, 10),  # something else was counted
        ({"base_model_id": "another"}, 10),  # the total counts the base, the tokens may not
        ({"parameters_active": np.nan}, 10),  # all experts would make 33 times that
    ],
)
def test_a_value_that_is_6nd_of_the_table_is_as_sure_as_that_method(cells: dict[str, Any], factor: float) -> None:
    row = {
        "training_compute_source": "third_party",
        "training_compute_confidence": "likely",
        "base_model_id": None,
        "training_compute_flop": 9.702e24,
        "parameters": 1.6e12,
        "parameters_active": 4.9e10,
        "training_tokens": 3.3e13,
    }
    models = pd.DataFrame([row | cells])
    assert band_factor(models, {"confident": 3, "likely": 10, "speculative": 31}).tolist() == [factor]


def test_no_upper_end_lies_above_what_could_be_had_but_where_a_source_says_so_or_the_value_does() -> None:
    peak = 1e24 / (180 * 86400 * 0.4 * 10**0.15)  # half a year at 40 %, and the clusters that nobody has listed
    clusters = pd.DataFrame(
        {
            "cluster_id": ["a"],
            "name": ["a"],
            "first_operational_date": pd.to_datetime(["2024-01-01"]),
            "peak_16bit_ops": [peak],
            "status": ["existing"],
            "single_cluster": ["yes"],
            "possible_duplicate": [False],
        }
    )
    high, flop = "training_compute_high", "training_compute_flop"
    models = pd.DataFrame(
        [
            ("2024-06-01", 1e23, 1e25),
            ("2024-06-01", 2e24, 1e25),
            ("2024-06-01", 1e23, 9e23),
            ("2020-01-01", 1e23, 1e25),
            ("2024-06-01", np.nan, 1e25),
            ("2024-06-01", 1e23, 1e25),
        ],
        columns=["publication_date", flop, high],
    )
    models["publication_date"] = pd.to_datetime(models["publication_date"])
    stated = models.assign(**{high: [np.nan] * 5 + [1e25]})
    found = within_supply(models, stated, clusters)
    assert found[high].tolist() == pytest.approx([1e24, 2e24, 9e23, 1e25, 1e24, 1e25])
    pd.testing.assert_frame_equal(within_supply(models, stated, None), models)


@given(st.floats(1e-28, 1e30))
def test_rounding_gives_the_float_of_four_significant_digits(number: float) -> None:
    found = rounded(pd.Series([number])).iloc[0]
    assert found == float(f"{found:.4g}")
    assert found == pytest.approx(number, rel=5.01e-4)


@pytest.mark.parametrize(("rows", "lines"), [(19, [""]), (20, ["", "x"])])
def test_twenty_alike_have_a_width_of_their_own(rows: int, lines: list[str]) -> None:
    made = conformal.make_intervals(scored([0.1] * rows, ["x"] * rows))
    assert made["assumptions"].tolist() == lines
    assert made["rows"].tolist() == [rows] * len(lines)


def test_the_lines_of_a_method_are_of_its_own_errors() -> None:
    errors = pd.concat([scored([-0.25] * 20, ["x"] * 20), scored([0.5] * 3, [None] * 3, "note")])
    made = conformal.make_intervals(errors).set_index(["method", "assumptions"])
    assert made["half_width_90"].to_dict() == {("hardware", ""): 0.25, ("hardware", "x"): 0.25, ("note", ""): 0.5}


def test_a_model_counts_once_and_what_assumes_nothing_has_a_line_too() -> None:
    errors = scored([0.1] * 20, [None] * 20)
    made = conformal.make_intervals(pd.concat([errors, errors]))
    assert made[["assumptions", "rows"]].to_numpy().tolist() == [["", 20], ["none", 20]]


def test_widths_have_three_digits_and_are_never_narrower_than_rounding() -> None:
    close, wide = (conformal.make_intervals(scored([error] * 20, ["x"] * 20)).iloc[0] for error in (0.001, 0.12345))
    assert (close["half_width_50"], close["half_width_90"], close["error_975"]) == (0.02, 0.02, 0.001)
    assert (wide["half_width_50"], wide["half_width_90"], wide["error_025"]) == (0.123, 0.123, 0.123)


def test_half_of_the_errors_lie_within_the_narrower_width() -> None:
    table = conformal.make_intervals(scored([n / 200 for n in range(1, 200)], ["x"] * 199))
    assert table.loc[1, "half_width_50"] == 0.5, "the hundredth of 199"
    made = pd.DataFrame({"method": ["hardware", "other"], "assumptions": ["x", "x"]})
    assert conformal.half_width(made, table).fillna(-1).tolist() == [0.9, -1]
    nothing = pd.DataFrame({"method": [], "assumptions": [], "half_width_90": []}, dtype="str")
    assert conformal.half_width(made, nothing.astype({"half_width_90": "float64"})).isna().all()


def test_the_points_stand_for_twenty_equal_parts() -> None:
    assert conformal.POINTS[:2] == ["error_025", "error_075"]
    assert (len(conformal.POINTS), conformal.POINTS[-1]) == (20, "error_975")
    assert pytest.approx([0.025, 0.075, 0.975]) == [conformal.SHARES[place] for place in (0, 1, 19)]


@pytest.mark.parametrize(
    ("weights", "share", "found"),
    [
        ([1, 1, 1, 1], 0.5, 3),  # half of the weight of five, as if one more were to come
        ([1, 1, 2, 1], 0.5, 3),
        ([10, 1, 1, 1], 0.4, 1),
        ([1, 1, 1, 10], 0.1, 3),
        ([1, 1, 1, 1], 0.2, 1),
        ([1, 1, 1, 1], 0.9, 4),
    ],
)
def test_a_quantile_counts_weights_and_one_that_is_still_to_come(
    weights: list[float], share: float, found: float
) -> None:
    values, order = np.array([1.0, 2.0, 3.0, 4.0]), [2, 0, 3, 1]
    assert conformal.weighted_quantile(values, np.array(weights, dtype=float), share) == found
    assert conformal.weighted_quantile(values[order], np.array(weights, dtype=float)[order], share) == found
