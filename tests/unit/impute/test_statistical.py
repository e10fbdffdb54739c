"""The regression: strictly out of fold, for any row, and what it may look at."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from regression_rows import NUMBERS, rows

from pipeline.config import load_config
from pipeline.impute.calibration.material import hide
from pipeline.impute.flop.calibration_tables import load_calibrated
from pipeline.impute.flop.methods import features, statistical
from pipeline.impute.flop.methods.hardware import RATES
from pipeline.impute.flop.rows import FIELD
from pipeline.paths import CHECKOUT, Paths

COEFFICIENTS = load_calibrated(Paths(CHECKOUT)).coefficients
number = st.one_of(st.none(), st.floats(1e-3, 1e28))


def predict(made: pd.DataFrame, base: list[float] | None = None, table: pd.DataFrame = COEFFICIENTS) -> pd.DataFrame:
    bases = pd.Series(base or np.nan, index=made.index, dtype="float64")
    return statistical.predict(made, bases, table)


@given(
    st.fixed_dictionaries(dict.fromkeys(NUMBERS, number)),
    st.one_of(st.none(), st.dates(pd.Timestamp("1950-01-01").date(), pd.Timestamp("2030-01-01").date())),
    st.sampled_from([None, "Language", "Vision;Language", "Games", "Something new"]),
    st.sampled_from([None, True, False]),
    number,
)
def test_any_row_gets_a_finite_positive_value_inside_its_interval(
    numbers: dict[str, float], day: object, domains: str | None, weights: bool | None, base: float | None
) -> None:
    made = rows(numbers | {"publication_date": day, "domains": domains, "open_weights": weights})
    found = predict(made, [base if base is not None else np.nan]).iloc[0]
    assert 0 < found["low"] < found["value"] < found["high"] < np.inf
    assert found["reason"] == ""


@pytest.mark.parametrize(
    ("domains", "tasks", "general", "narrow"),
    [
        ("Language", None, 1, 0),
        ("Language;Multimodal;Vision", "Chat;Visual question answering", 1, 0),
        ("Language", "Translation;Language modeling/generation", 1, 0),
        ("Language", "Semantic embedding;Retrieval-augmented generation", 0, 1),
        ("Language", "Translation", 0, 1),
        ("Language;Medicine", None, 0, 0),
        ("Language;Multimodal;Robotics", "Robotic manipulation", 0, 1),
        ("Vision", "Image classification", 0, 0),
    ],
)
def test_a_closed_model_for_a_field_or_one_task_is_no_general_language_model(
    domains: str, tasks: str | None, general: int, narrow: int
) -> None:
    made = rows({"domains": domains, "tasks": tasks, "open_weights": False, "publication_date": "2021-01-01"})
    logs = features.log_numbers(made, pd.Series(np.nan, index=made.index))
    columns = features.designs(made, logs, features.starts(made, logs), [])["free"]
    assert columns["closed language"].tolist() == [general]
    assert columns["narrow language"].tolist() == [narrow]
    assert columns["narrow language × year"].tolist() == pytest.approx([narrow], abs=0.001), "three years after 2018"


def test_the_words_that_tell_a_general_language_model_are_those_of_the_vocabularies() -> None:
    """A word that is spelled otherwise there would never be found."""
    words = load_config(Paths(CHECKOUT)).vocabularies
    assert set(features.GENERAL) <= set(words["tasks"].codes)
    assert set(features.SPECIAL) <= set(words["domains"].codes)


def sample(n: int = 120) -> pd.DataFrame:
    """Language models of forty organisations whose compute is 6 · N · D, except for one in ten."""
    draw = np.random.default_rng(3)
    n_, d = 10 ** draw.uniform(7, 11, n), 10 ** draw.uniform(8, 12, n)
    flop = 6 * n_ * d * np.where(np.arange(n) % 10, 1, 1e3)
    letters = ["".join(chr(97 + int(digit)) for digit in f"{place % 40:02d}") for place in range(n)]
    cells = [
        {"name": f"M-{place}", "owner": stem, "domains": "Language", "publication_date": "2022-05-01"}
        | {"parameters": n_[place], "dataset_size": d[place], "epochs": 1.0, FIELD: flop[place]}
        for place, stem in enumerate(letters)
    ]
    return rows(*cells)


def test_the_fit_finds_the_many_and_not_the_mean() -> None:
    made = sample()
    none = pd.Series(np.nan, index=made.index)
    error = np.log10(predict(made, table=statistical.fit(made, none, none.fillna(1.0)))["value"] / made[FIELD]).abs()
    assert (error < 0.1).mean() == pytest.approx(0.9, abs=0.02)


def test_no_model_is_predicted_from_its_organisation() -> None:
    made = sample()
    none = pd.Series(np.nan, index=made.index)
    family = made["owner"] == made["owner"].iloc[7]
    assert family.sum() == 3
    changed = made.assign(**{FIELD: made[FIELD].where(~family, made[FIELD] * 1e6)})
    before, after = (
        predict(data, table=statistical.fit(data, none, none.fillna(1.0)))["value"] for data in (made, changed)
    )
    assert before[family].tolist() == after[family].tolist()
    assert before[~family].tolist() != after[~family].tolist()


def test_the_order_of_rows_and_other_rows_make_no_difference() -> None:
    made = sample(30)
    shuffled = made.sample(frac=1, random_state=1)
    pd.testing.assert_frame_equal(predict(made), predict(shuffled).sort_index())
    pd.testing.assert_frame_equal(predict(made).iloc[[4]], predict(made.iloc[[4]]))


def test_where_a_product_is_known_it_scales_with_it() -> None:
    cell = {"domains": "Language", "publication_date": "2023-01-01", "parameters": 1e9, "training_tokens": 1e11}
    one, ten = predict(rows(cell, cell | {"training_tokens": 1e12}).assign(name="same"))["value"]
    assert 5 < ten / one < 20
    assert 0.3 < one / (6 * 1e9 * 1e11) < 3


def test_what_is_computed_from_the_compute_is_hidden() -> None:
    chip = dict.fromkeys(RATES.values(), 1e14)
    used = {"hardware_quantity": 100.0, "training_hours": 100.0, "hardware_type": "GPU", "numerical_format": "BF16"}
    more = {"chips": 1.0, "chips_known": 1.0, "rates_apart": np.nan, "hardware_utilization": [0.2, 0.2]}
    more |= {"usual_utilization": 0.4}
    flop = 100 * 100 * 3600 * 1e14 * 0.2
    made = rows(chip | used | {FIELD: flop, "domains": "Vision"}, chip | used | {FIELD: 3 * flop, "domains": "Vision"})
    hidden = hide(made.assign(**more))
    assert np.isnan(hidden["hardware_utilization"].iloc[0])  # it only gives the published value back
    assert hidden["hardware_utilization"].iloc[1] == 0.2
    assert hidden[["at_least", "at_most", "noted_low", "noted_high", "training_compute_stated"]].isna().all(axis=None)
    names = set(COEFFICIENTS.index.get_level_values("name"))
    assert not [name for name in names if "cost" in name or "power" in name or "frontier" in name]


def test_models_of_an_owner_are_judged_together_and_those_without_alone() -> None:
    made = rows(
        {"name": "GPT-4 Turbo", "owner": "OpenAI"},
        {"name": "DALL-E", "owner": "OpenAI"},
        {"name": "4-layer QRNN", "owner": None},
    )
    fold = features.folds(made)
    assert fold[0] == fold[1]
    assert fold[2] == features.folds(rows({"owner": "?4-layer QRNN"}))[0]
    assert ((fold >= 0) & (fold < features.FOLDS)).all()
