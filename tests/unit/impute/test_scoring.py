"""How far off estimates are: scores by hand, and what is hidden from the estimates that are judged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from estimation_rows import A100, rows

from pipeline.impute.calibration.evaluate import figures, scored
from pipeline.impute.calibration.material import SIZE, describe, hide, masked, prepare, with_copies
from pipeline.impute.flop.result import ENDS
from pipeline.impute.flop.rows import FIELD

NO_EDGES = pd.DataFrame(columns=["model_id", "base_id"], dtype="str")


def judged(flop: float) -> pd.DataFrame:
    """An estimate of 1e20 with quantiles at -1, -0.5, 0, 0.5 and 1 dex, held against `flop`."""
    made = pd.DataFrame([{"model_id": "m", "value": 1e20, **dict(zip(ENDS, (-1, -0.5, 0, 0.5, 1), strict=True))}])
    return scored(made, pd.Series({"m": flop}))


@pytest.mark.parametrize(
    ("dex", "inside_50", "inside_90", "winkler", "pinball"),
    [
        (20.0, True, True, 2.0, (0.05 * 1 + 0.25 * 0.5) * 2 / 5),
        (20.75, False, True, 2.0, (0.05 * 1.75 + 0.25 * 1.25 + 0.5 * 0.75 + 0.75 * 0.25 + 0.05 * 0.25) / 5),
        (21.5, False, False, 12.0, (0.05 * 2.5 + 0.25 * 2 + 0.5 * 1.5 + 0.75 * 1 + 0.95 * 0.5) / 5),
        (18.5, False, False, 12.0, (0.95 * 0.5 + 0.75 * 1 + 0.5 * 1.5 + 0.25 * 2 + 0.05 * 2.5) / 5),
    ],
)
def test_scores_by_hand(dex: float, inside_50: bool, inside_90: bool, winkler: float, pinball: float) -> None:
    (row,) = judged(10**dex).to_dict("records")
    assert (row["inside_50"], row["inside_90"]) == (inside_50, inside_90)
    assert (row["winkler"], row["pinball"]) == pytest.approx((winkler, pinball))
    assert row["error_dex"] == pytest.approx(20 - dex)


def test_the_figures_of_several() -> None:
    found = figures(pd.concat([judged(10**dex) for dex in (20.0, 20.2, 20.4, 22.0)]))
    assert (found["n"], found["within_2"], found["within_3"], found["coverage_90"]) == (4, 0.5, 0.75, 0.75)
    assert found["median_error_dex"] == pytest.approx(-0.3)
    assert found["coverage_90_low"] < 0.75 < found["coverage_90_high"]


def published(*cells: dict[str, Any]) -> pd.DataFrame:
    made = rows(*({"model_id": f"m{place}"} | cell for place, cell in enumerate(cells)))
    about = {"is_notable": True, "training_compute_confidence": "likely", "published_dex": 1.0, "at_most": np.nan}
    return made.assign(**about, batch_size=np.nan, **{FIELD: [cell["flop"] for cell in cells]})


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
    edges = pd.DataFrame([("m1", "m0"), ("m2", "m0")], columns=["model_id", "base_id"])
    assert describe(made, edges)["whole"].tolist() == [True, False, True]


def test_what_follows_from_the_published_value_is_hidden() -> None:
    made = published(CLOCK | {"flop": 0.23 * 6.74e20, "hardware_utilization": 0.23, "at_least": 1.0},
                     CLOCK | {"flop": 9e20, "hardware_utilization": 0.23})  # fmt: skip
    found = hide(made)
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
