"""Rows of the table of calibration: shares, scores and weights by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pipeline.impute.calibration.evaluate import ENDS, figures, measure, scored


def judged(offs: list[float], **more: object) -> pd.DataFrame:
    """Estimates of 10 FLOP with quantiles -1, -0.5, 0, 0.5 and 1 dex, held against values `offs` dex away."""
    ids = [f"m{place}" for place in range(len(offs))]
    about = {
        "model_id": ids,
        "method": "cascade",
        "value": 10.0,
        "alike_dex": 0.5,
        "year": 2020,
        "tier": 3,
        "whole": True,
    }
    made = pd.DataFrame(about | more).assign(**dict(zip(ENDS, (-1.0, -0.5, 0.0, 0.5, 1.0), strict=True)))
    return scored(made, pd.Series(10 ** (1 + np.array(offs)), index=ids))


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [(0, 10, 0.0, 0.3085), (10, 10, 0.6915, 1.0), (8, 10, 0.4439, 0.9748), (90, 100, 0.8238, 0.9510)],
)  # R's binom.test
def test_a_coverage_has_its_exact_interval(hits: int, n: int, low: float, high: float) -> None:
    made = figures(judged([0.0] * hits + [5.0] * (n - hits)))
    assert (made["coverage_90_low"], made["coverage_90_high"]) == (low, high)


def test_a_score_is_the_width_and_what_lies_beyond() -> None:
    found = judged([0.0, 0.2, -0.8, 1.5])
    assert found["inside_90"].tolist() == [True, True, True, False]
    assert found["inside_50"].tolist() == [True, True, False, False]
    assert found["winkler"].tolist() == pytest.approx([2, 2, 2, 2 + 20 * 0.5])
    assert found["winkler_alike"].tolist() == pytest.approx([1, 1, 1 + 20 * 0.3, 1 + 20 * 1.0])
    by_hand = np.mean([0.05 * 1.2, 0.25 * 0.7, 0.5 * 0.2, 0.25 * 0.3, 0.05 * 0.8])  # 0.2 is above three and below two
    assert found["pinball"].iloc[1] == pytest.approx(by_hand)
    assert found["error_dex"].tolist() == pytest.approx([0, -0.2, 0.8, -1.5]), "estimate ÷ value"


def test_figures_of_rows_and_of_weighted_rows() -> None:
    made = figures(judged([0.0, 0.2, -0.8, 1.5]))
    assert (made["n"], made["coverage_90"], made["within_3"], made["within_10"]) == (4, 0.75, 0.5, 0.75)
    assert (made["mean_half_width_90_dex"], made["winkler_90_dex"]) == (1.0, 4.5)
    assert (made["coverage_90_low"], made["coverage_90_high"]) == (0.1941, 0.9937)
    assert made["median_error_dex"] == pytest.approx(-0.1)
    assert made["mad_dex"] == pytest.approx(0.5), "0.1, 0.1, 0.9 and 1.4 from that"
    near = figures(judged([0.0, 0.2, 0.4, -0.4]))
    assert (near["within_2"], near["within_3"]) == (0.5, 1), "a factor of 2.5 lies between"
    twice = figures(judged([0.0, 1.5], share=[3.0, 1.0]))
    assert (twice["coverage_90"], twice["n"]) == (0.75, 2)
    low = twice["coverage_90_low"]
    assert low == pytest.approx(0.1581, abs=1e-4), "one that counts most and one are worth 1.6, so 2"


def test_methods_are_in_the_order_of_their_names() -> None:
    made = judged([0.0, 0.2, -0.8], tier=[1, 3, 1])
    lines = measure(made.assign(method=["hardware", "cascade", "hardware"]), "folds", "upstream", (), ())
    assert [(line["method"], line["n"]) for line in lines] == [("cascade", 1), ("hardware", 2)]


def test_a_row_per_stratum() -> None:
    made = judged([0.0, 0.2, -0.8, 1.5], domain=["vision", "vision", "games", "games"], year=[2005, 2012, 2019, 2023])
    lines = pd.DataFrame(measure(made, "folds", "upstream", ("tier", "domain", "period"), ("whole",)))
    whole = lines[(lines["subset"] == "all") & (lines["tier"] == "all") & (lines["period"] == "all")]
    assert whole.set_index("domain")["coverage_90"].to_dict() == {"all": 0.75, "games": 0.5, "vision": 1.0}
    periods = lines[(lines["subset"] == "whole") & (lines["period"] != "all")].set_index("period")["n"]
    assert periods.to_dict() == {"before 2010": 1, "2010-2017": 1, "2018 on": 2, "2022 on": 1}
