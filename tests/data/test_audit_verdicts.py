"""data/audit.csv against the dataset as it is now."""

from __future__ import annotations

import pandas as pd
import pytest

from pipeline.paths import CHECKOUT

AUDIT = pd.read_csv(CHECKOUT / "data" / "audit.csv", dtype=str)
NUMBERS = ["published value", "imputed value", "power", "energy", "cost"]
SOURCES = ["reported", "third_party", "imputed"]


@pytest.fixture(scope="module")
def models(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    return tables["models"].set_index("model_id")


def test_every_line_has_a_verdict_that_says_what_it_rests_on() -> None:
    models = AUDIT[AUDIT["what"] != "curated fact"]  # a fact may be stated twice, and drawn each time
    assert not models.duplicated(["what", "draw", "id"]).any()
    assert set(AUDIT["verdict"]) == {"right", "wrong", "untellable", "misplaced", "judged"}
    judged = AUDIT[AUDIT["verdict"] != "untellable"]
    assert set(judged["basis"]) == {"seen", "secondary", "recalled"}
    assert judged[judged["what"] != "curated fact"]["judged"].notna().all()


def test_a_number_is_right_within_a_factor_of_three_and_inside_its_own_range() -> None:
    told = AUDIT[AUDIT["what"].isin(NUMBERS) & AUDIT["judged"].notna()]
    numbers = told[["judged", "low", "high", "published"]].astype("float64")
    assert ((numbers["low"] <= numbers["judged"]) & (numbers["judged"] <= numbers["high"])).all()
    near = (numbers["judged"] / numbers["published"]).between(1 / 3, 3)
    compared = numbers["published"].notna()
    assert (near == (told["verdict"] == "right"))[compared].all()


def test_a_date_is_right_if_it_is_at_most_seven_days_off() -> None:
    told = AUDIT[(AUDIT["what"] == "date") & (AUDIT["verdict"] != "untellable")]
    for row in told.itertuples():
        known = min(len(row.judged), len(row.published))
        first, second = (pd.Period(text[:known]).start_time for text in (row.judged, row.published))
        assert (abs((first - second).days) <= 7) == (row.verdict == "right"), row.id


@pytest.mark.parametrize(
    ("what", "within_3", "inside"), [("published value", 0.76, 0.83), ("imputed value", 0.87, 0.85)]
)
def test_values_of_today_are_near_the_judged_ones(
    what: str, within_3: float, inside: float, models: pd.DataFrame
) -> None:
    judged = AUDIT[(AUDIT["what"] == what) & AUDIT["judged"].notna()].set_index("id")
    numbers = judged[["judged", "low", "high"]].astype("float64")
    value = models["training_compute_flop"].reindex(judged.index)
    there = value.notna()
    assert there.mean() > 0.95
    assert (value / numbers["judged"])[there].between(1 / 3, 3).mean() >= within_3
    assert value.between(numbers["low"], numbers["high"])[there].mean() >= inside


def test_the_best_known_models_say_whose_value_they_have(models: pd.DataFrame) -> None:
    settled = AUDIT[(AUDIT["what"] == "whose value") & (AUDIT["draw"] == "1")].set_index("id")["judged"]
    today = models["training_compute_source"].reindex(settled.index)
    summed = today.eq("imputed") & models["finetune_compute_flop"].reindex(settled.index).notna()
    ours = summed | ~today.isin(SOURCES)  # corrected since the audit, or its base was added
    apart = settled[~ours & (today != settled)]
    assert apart.index.tolist() == []
