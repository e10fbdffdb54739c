"""Intervals by errors of the same kind, worked out by hand; scores, and what is hidden from what is judged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from estimation_rows import A100, rows

from pipeline.impute.evaluate import SIZE, describe, masked, prepare, scored, with_copies
from pipeline.impute.intervals import above_base, make_intervals, quantiles, weighted_quantile, with_quantiles
from pipeline.impute.methods import base_model, hardware, statistical
from pipeline.impute.methods.base_model import ALONE
from pipeline.impute.results import ENDS, FIELD


def errors(method: str, kind: str, dex: np.ndarray) -> pd.DataFrame:
    ids = [f"{method}:{kind}:{place}" for place in range(len(dex))]
    return pd.DataFrame({"model_id": ids, "method": method, "assumptions": kind, "error_dex": dex, "weight": 1.0})


def line(found: pd.DataFrame, method: str, kind: str) -> list[float]:
    row = found[(found["method"] == method) & (found["assumptions"] == kind)]
    return row.filter(like="dex_").to_numpy()[0].tolist()


def test_a_kind_of_thirty_models_counts_as_much_as_its_method() -> None:
    narrow, wide = np.linspace(-0.1, 0.1, 30), np.linspace(-1, 1, 30)
    found = make_intervals(pd.concat([errors(hardware.METHOD, "a", narrow), errors(hardware.METHOD, "b", wide)]))
    half = {name: weighted_quantile(np.abs(dex), np.ones(len(dex)), 0.9)
            for name, dex in {"a": narrow, "": np.concatenate([narrow, wide])}.items()}  # fmt: skip
    assert line(found, hardware.METHOD, "a")[-1] == pytest.approx((half["a"] + half[""]) / 2, abs=0.001)
    assert line(found, hardware.METHOD, "")[-1] == pytest.approx(half[""], abs=0.001)
    low, first, middle, third, high = line(found, hardware.METHOD, "a")
    assert (low, first, middle) == (-high, -third, 0), "either side alike"


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


# --- Scores, and what is hidden


NO_EDGES = pd.DataFrame(columns=["model_id", "base_id"], dtype="str").assign(sign=1)


def judged(flop: float) -> pd.DataFrame:
    made = pd.DataFrame([{"model_id": "m", "value": 1e20, **dict(zip(ENDS, (-1, -0.5, 0, 0.5, 1), strict=True))}])
    return scored(made, pd.Series({"m": flop}))


@pytest.mark.parametrize(
    ("dex", "inside_50", "inside_90", "winkler"),
    [(20.0, True, True, 2.0), (20.75, False, True, 2.0), (21.5, False, False, 12.0), (18.5, False, False, 12.0)],
)
def test_scores_by_hand(dex: float, inside_50: bool, inside_90: bool, winkler: float) -> None:
    (row,) = judged(10**dex).to_dict("records")
    assert (row["inside_50"], row["inside_90"]) == (inside_50, inside_90)
    assert row["winkler"] == pytest.approx(winkler)
    assert row["error_dex"] == pytest.approx(20 - dex)


def published(*cells: dict[str, Any]) -> pd.DataFrame:
    made = rows(*({"model_id": f"m{place}", FIELD: cell["flop"]} | cell for place, cell in enumerate(cells)))
    return made.assign(is_notable=True, training_compute_confidence="likely", published_dex=1.0)


COUNT = {"parameters": 1e9, "training_tokens": 1e11}  # 6e20 FLOP
CLOCK = A100 | {"hardware_quantity": 10.0, "training_hours": 60.0}  # 10 × 60 × 3600 × 3.12e14 = 6.74e20 at the peak


def test_a_product_is_not_independent_and_counts_less() -> None:
    made = published(COUNT | {"flop": 6.1e20}, COUNT | {"flop": 9e20}, CLOCK | {"flop": 0.4 * 6.74e20})
    about = describe(made, NO_EDGES)
    assert about["independent"].tolist() == [False, True, False]
    assert about["weight"].tolist() == [0.4, 1.0, 0.4]
    assert describe(made.assign(is_notable=False), NO_EDGES)["weight"].tolist() == pytest.approx([0.1, 0.25, 0.1])


def test_a_value_below_that_of_the_base_is_not_the_whole() -> None:
    made = published({"flop": 1e22}, {"flop": 1e21}, {"flop": 1.1e22})
    edges = pd.DataFrame([("m1", "m0", 1), ("m2", "m0", 1)], columns=["model_id", "base_id", "sign"])
    assert describe(made, edges)["whole"].tolist() == [True, False, True]


def test_what_follows_from_the_published_value_is_hidden() -> None:
    made = published(CLOCK | {"flop": 0.23 * 6.74e20, "hardware_utilization": 0.23, "at_least": 1.0},
                     CLOCK | {"flop": 9e20, "hardware_utilization": 0.23})  # fmt: skip
    found = prepare(made, NO_EDGES, describe(made, NO_EDGES)).rows
    assert found["hardware_utilization"].isna().tolist() == [True, False]
    assert found["at_least"].isna().all()


def test_copies_know_date_and_kind_alone_or_size_too() -> None:
    made = published(COUNT | {"flop": 6e20}, {"flop": 1e20})
    material = prepare(made, NO_EDGES, describe(made, NO_EDGES))
    assert material.physical["taken"].tolist() == [True]
    assert masked(material).rows["parameters"].isna().all()
    assert masked(material, SIZE).rows["parameters"].tolist()[0] == 1e9
    assert masked(material, SIZE).rows["training_tokens"].isna().all()
    copies = with_copies(material)
    assert copies.about["share"].tolist() == [1, 1, 0.5, 0.5, 0.5, 0], (
        "of a model without a size both would be the same"
    )
    assert copies.rows["model_id"].is_unique
