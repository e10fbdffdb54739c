"""The regression: strictly out of fold, anchored where something physical is known, and what it may look at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from regression_rows import rows

from pipeline.impute.flop.methods import features, statistical
from pipeline.impute.flop.rows import FIELD

ONE = pd.Series(1.0, index=range(200))


def world(**more: Any) -> pd.DataFrame:
    """Models of many owners that grow by 0.5 dex a year from 1e20 in 2018."""
    random = np.random.default_rng(0)
    year = random.uniform(0, 8, 200)
    dates = pd.Timestamp("2018-01-01") + pd.to_timedelta(year * 365.25, "D")
    cells = [{"owner": f"O {place}", "publication_date": day, "domains": "Vision"} for place, day in enumerate(dates)]
    made = rows(*cells).assign(is_notable=False, **{FIELD: 10 ** (20 + 0.5 * year)})
    return made.assign(**more)


def fitted(made: pd.DataFrame, share: pd.Series = ONE) -> pd.DataFrame:
    return statistical.fit(made, pd.Series(np.nan, index=made.index), share)


def predicted(made: pd.DataFrame, coefficients: pd.DataFrame, base: float = np.nan) -> pd.DataFrame:
    return statistical.predict(made, pd.Series(base, index=made.index), coefficients)


def test_it_finds_a_planted_line_also_with_wild_values() -> None:
    made = world()
    wild = made.assign(**{FIELD: made[FIELD].where(made.index % 15 > 0, 1e5)})
    off = np.log10(predicted(made, fitted(wild))["value"] / made[FIELD])
    assert off.abs().median() < 0.15


def test_no_model_is_predicted_from_its_own_fold() -> None:
    made = world()
    odd = pd.Series(features.folds(made) == 3)
    usual, changed = (
        predicted(made, fitted(some))["value"] for some in (made, made.assign(**{FIELD: made[FIELD].mask(odd, 1e30)}))
    )
    assert (usual[odd] == changed[odd]).all()
    assert (usual[~odd] != changed[~odd]).any()


def test_near_the_compute_it_is_the_anchor_times_the_median_factor() -> None:
    """Of chips × hours at 0.35 of the peak the published values are twice as many here."""
    chips = {"hardware_quantity": 100.0, "training_hours": 100.0, "peak_tensor_fp16_flops": 1e14}
    product = 100 * 100 * 3600 * 1e14 * 0.35
    made = world(**chips, **{FIELD: 2 * product})
    found = predicted(made, fitted(made))
    assert found["value"].to_numpy() == pytest.approx(np.full(200, 2 * product), rel=0.001)
    assert set(found["assumptions"]) == {"from chips and hours"}
    few = fitted(made, ONE.where(ONE.index < 14, 0.0))
    assert predicted(made, few)["value"].to_numpy() == pytest.approx(np.full(200, product), rel=0.001)


def test_a_model_that_is_notable_for_its_cost_alone_teaches_nothing() -> None:
    made = world()
    costly = made.index % 2 == 0
    told = made.assign(is_notable=costly, notability_criteria=np.where(costly, "training_cost", None))
    wrong = told.assign(**{FIELD: told[FIELD].where(~costly, 1e10)})
    pd.testing.assert_frame_equal(fitted(told), fitted(wrong))


@pytest.mark.parametrize(
    ("cells", "start"),
    [
        ({"parameters": 1e9, "training_tokens": 1e10, "domains": "Language"}, "from parameters, tokens and epochs"),
        ({"parameters": 1e9, "dataset_size": 1e10, "domains": "Language"}, "from parameters and tokens"),
        ({"parameters": 1e9, "dataset_size": 1e10, "domains": "Vision"}, "from parameters and dataset"),
        ({"parameters": 1e9, "dataset_size": 1e3, "dataset_unit": "hour"}, "from parameters"),
        ({"parameters": 1e9, "architecture": "lookup"}, "from date and kind"),
        ({}, "from date and kind"),
    ],
)
def test_what_it_starts_from(cells: dict[str, Any], start: str) -> None:
    made = rows({"publication_date": "2023-01-01"} | cells).assign(is_notable=False)
    assert predicted(made, fitted(world()))["assumptions"].tolist() == [start]
    assert predicted(made, fitted(world()), base=1e22)["assumptions"].tolist() == ["from the base model's compute"]


def test_models_of_one_owner_are_judged_together() -> None:
    made = rows({"owner": "A"}, {"owner": "B"}, {"owner": "A"}, {"name": "x"})
    assert features.folds(made)[0] == features.folds(made)[2]
    assert features.owners(made).tolist() == ["A", "B", "A", "?x"]
