"""Past counts against later values, on a vintage whose answer is known."""

from __future__ import annotations

from datetime import date
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest

from pipeline.impute.calibration.past_estimates import count_day
from traincompute.base.quantiles import QUANTILES, Z

DAY = date(2024, 6, 1)
THRESHOLD = 1e25


def known(name: str, median: float, tier: int, **more: object) -> dict[str, object]:
    """A model of a run of its own, known to ± 0.1 dex at one standard deviation."""
    value = median if tier == 0 else np.nan
    about = {"model_id": name, "training_run_id": name, "publication_date": pd.Timestamp("2024-05-01"), "tier": tier}
    about |= {"is_notable": True, "organization": name, "training_compute_flop": value, "method": None}
    source = {
        "training_compute_source": "third_party" if tier == 0 else None,
        "least_flop": np.nan,
        "most_flop": np.nan,
    }
    return about | source | dict(zip(QUANTILES, median * 10 ** (0.1 * Z), strict=True)) | more


def lines(then: list[dict[str, object]], since: list[str], printed: dict[str, float]) -> pd.DataFrame:
    models = pd.DataFrame(then)
    newer = {"model_id": "added", "training_run_id": "added", "publication_date": pd.Timestamp("2024-05-20")}
    now = pd.concat([models.loc[models["is_notable"], list(newer)], pd.DataFrame([newer])])
    made = count_day(DAY, models, pd.Index(since), pd.Series(printed), now)
    return made[made["threshold_flop"] == THRESHOLD].set_index("models")


THEN = [
    known("published", 5e25, 0),
    known("filled", 5e25, 4),
    known("blank", 5e25, 4),
    known("withdrawn", 5e25, 3),
    known("plain", 5e25, 0, is_notable=False),
    known("later", 5e25, 0, publication_date=pd.Timestamp("2024-07-01")),
]
PRINTED = dict.fromkeys(("published", "filled", "withdrawn", "plain", "later", "added"), 5e25)


def test_who_is_counted_in_each_group() -> None:
    found = lines(THEN, ["filled", "added"], PRINTED)
    assert dict(found["runs_of"]) == {"filled": 1, "valued": 2, "known": 4}
    assert dict(found["expected_runs"]) == pytest.approx({"filled": 1, "valued": 2, "known": 4}, abs=0.01)
    assert dict(found["later_runs"]) == {"filled": 1, "valued": 2, "known": 4}, "published, filled, withdrawn, added"
    assert found["is_inside"].all()


def test_a_later_value_below_the_threshold_is_outside_a_sure_count() -> None:
    found = lines(THEN, ["filled"], PRINTED | {"filled": 1e24})
    assert dict(found["later_runs"]) == {"filled": 0, "valued": 1, "known": 3}
    assert not found.loc[["filled", "valued"], "is_inside"].any()


def test_a_later_value_above_the_threshold_is_outside_a_sure_none() -> None:
    found = lines([known("filled", 1e23, 4)], ["filled"], {"filled": 5e25})
    assert (found.loc["filled", "high_90"], found.loc["filled", "later_runs"]) == (0, 1)
    assert not found.loc["filled", "is_inside"]


def test_no_line_without_a_model() -> None:
    assert list(lines(THEN[:1], [], PRINTED).index) == ["valued", "known"]


def test_a_model_of_the_day_itself_counts_and_one_that_has_a_value_is_none_that_got_one() -> None:
    then = [known("physical", 5e25, 1, publication_date=pd.Timestamp(DAY)), known("printed", 5e25, 0)]
    found = lines(then, ["physical", "printed"], {"physical": 1e25, "printed": 5e25})
    assert dict(found["runs_of"]) == {"filled": 1, "valued": 2, "known": 2}
    assert dict(found["later_runs"]) == {"filled": 1, "valued": 2, "known": 2}, "1e25 itself is at least 1e25"


def test_an_expected_number_has_three_decimals() -> None:
    """The threshold lies 0.41 standard deviations below the median."""
    found = lines([known("near", 1.1e25, 4)], [], {}).loc["known"]
    assert found["expected_runs"] == round(NormalDist().cdf(np.log10(1.1) / 0.1), 3) == 0.661
