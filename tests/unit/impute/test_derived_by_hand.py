"""Training runs as arrays, eras and ranks, scaling and efficiency, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from derivation import CONSTANTS, HARDWARE, NAN, frame

from pipeline.impute.derive import eras, scaling
from pipeline.impute.derive.runs import FROM_FLOP, PRINTED, PRODUCT, training_runs

V100_HOUR = 1.25e14 * 3600  # FLOP at the peak rate
Cells = dict[str, object]


def days(*texts: str) -> np.ndarray:
    return np.array(texts, dtype="datetime64[D]")


def runs(*cells: Cells, has_base: bool = False) -> dict[str, np.ndarray]:
    """What is known of the training of models on V100."""
    usual = {"publication_date": "2020-05-28", "numerical_format": "FP16"}
    models = frame("models", *({"model_id": str(n), **usual, **cell} for n, cell in enumerate(cells)))
    none = np.zeros(len(cells), dtype="int64")
    return training_runs(models, np.full(len(cells), has_base), none, HARDWARE, CONSTANTS)


SOME = {"training_compute_flop": V100_HOUR * 30}
STATED: list[tuple[Cells, int, float]] = [
    ({"chip_hours": 5.0, "hardware_quantity": 2.0, "training_hours": 10.0}, PRINTED, 5),
    ({"hardware_quantity": 2.0, "training_hours": 10.0}, PRODUCT, 20),
    ({"hardware_quantity": 2.0, "training_hours": 3 * 8766.0}, PRODUCT, 6 * 8766),
    ({"hardware_quantity": 2.0, "training_hours": 3 * 8766.5}, FROM_FLOP, NAN),  # more than three years
    (SOME | {"hardware_utilization": 0.5}, FROM_FLOP, 60),
    (SOME | {"hardware_utilization": 1.0}, FROM_FLOP, 30),
    (SOME | {"hardware_utilization": 1.5}, FROM_FLOP, 80),  # at 0.375
    (SOME, FROM_FLOP, 80),
    (SOME | {"chip_hours": 10.0}, PRINTED, 10),  # three times what they can
    (SOME | {"chip_hours": 9.9}, PRINTED, NAN),
]


def test_the_flop_of_a_model_with_a_base_say_nothing_about_its_own_hours() -> None:
    made = runs(SOME, SOME | {"chip_hours": 1.0}, has_base=True)
    assert made["chip_hours"].tolist() == pytest.approx([NAN, 1], nan_ok=True)


def test_a_score_is_against_those_that_count_from_364_days_before_to_the_day_before_364_after() -> None:
    date = days(
        "2016-01-01", "2016-12-29", "2016-12-30", "2017-12-29", "2030-01-01", "2016-12-30"
    )  # 2016 + 363, 364, 728
    flop = 10.0 ** np.array([20, 21, 22.5, 27, 25, 30])
    counted = np.array([True, True, True, True, True, False])
    found = eras.z_scores(date, flop, counted, 364)
    first, middle = np.array([20, 21]), np.array([20, 21, 22.5])
    assert found[:3].tolist() == pytest.approx(
        [
            (20 - first.mean()) / first.std(),  # that of the 364th day after is beyond its window
            (21 - middle.mean()) / middle.std(),
            (22.5 - middle.mean()) / middle.std(),  # and that of the 364th day before is inside
        ]
    )
    assert np.isnan(found[4]), "alone, it is no further from the mean than any other"
    assert found[5] == pytest.approx((30 - middle.mean()) / middle.std()), "one that does not count is scored, too"
    assert found[:3].tolist() == found[:3].round(9).tolist()
    alike = eras.z_scores(days("2016-01-01", "2016-02-01"), np.array([1e20, 1e20]), np.array([True, True]), 364)
    assert np.isnan(alike).all(), "without a spread there is no score"


def test_the_fastest_machine_is_that_of_the_newest_list_of_the_day() -> None:
    lists = frame(
        "supercomputers",
        {"list_date": "2020-06-01", "rmax_first": 4e17},
        {"list_date": "2019-11-01", "rmax_first": 1e17},
    )
    date = days("2019-10-31", "2019-11-01", "2020-05-31", "2020-06-01", "NaT")
    found = eras.days_on_first(date, np.full(5, 8.64e22), lists)
    assert found.tolist() == pytest.approx([NAN, 10, 10, 2.5, NAN], nan_ok=True)
    assert np.isnan(eras.days_on_first(date, np.full(5, 8.64e22), lists[:0])).all()


def test_tokens_over_the_optimum_by_each_rule() -> None:
    chinchilla = {"domains": "Vision;Language", "parameters": 7e10, "training_tokens": 1.4e12}
    models = [{**chinchilla, "model_id": "whole"}, {**chinchilla, "model_id": "active", "parameters_active": 3.5e10}]
    models.append({**chinchilla, "model_id": "vision", "domains": "Vision"})
    about = CONSTANTS["scaling"]
    made = scaling.scaling_columns(frame("models", *models), np.zeros(3, dtype=bool), about)
    assert made["tokens_per_parameter"][:2].tolist() == [20, 40]
    assert made["tokens_over_optimal"][:2].tolist() == [1, 2]
    flop = 6 * 7e10 * 1.4e12
    assert made["tokens_over_optimal_1"][0] == pytest.approx(1.4e12 / (1.5e12 * (flop / 5.76e23) ** 0.5))
    assert made["tokens_over_optimal_2"][0] == pytest.approx(1.4e12 / (1.4e12 * (flop / 5.76e23) ** 0.51))
    best = (flop / 6) ** (0.34 / 0.62) / (0.34 * 406.4 / (0.28 * 410.7)) ** (1 / 0.62)
    assert made["tokens_over_optimal_3"][0] == pytest.approx(1.4e12 / best)
    assert made["tokens_over_optimal_1"][1] == pytest.approx(2**0.5 * made["tokens_over_optimal_1"][0])
    assert all(np.isnan(column[2]) for column in made.values()), "tokens of other models are no tokens of text"


def test_flop_per_dollar_are_those_of_the_training_that_was_paid() -> None:
    most = V100_HOUR * 100
    cells = [{"chip_hours": 100.0, "training_compute_flop": most}, {"training_compute_flop": most}]
    cells.append({"chip_hours": 100.0, "training_compute_flop": 9e30, "finetune_compute_flop": most / 4})
    cells.append({"chip_hours": 100.0, "training_compute_flop": 1.05 * most})  # more than they can do
    named = (
        {"model_id": str(n), "publication_date": "2020-05-28", "numerical_format": "FP16"} | cell
        for n, cell in enumerate(cells)
    )
    models = frame("models", *named)
    has_base = np.array([False, False, True, False])
    runs = training_runs(models, has_base, np.zeros(4, dtype="int64"), HARDWARE, CONSTANTS)
    made = {"training_cost_usd": np.full(4, 50.0), "training_energy_kwh": np.full(4, 2.0)}
    found = scaling.efficiency_columns(models, made, runs, has_base)
    assert found["flop_per_usd"].tolist() == pytest.approx([most / 50, NAN, most / 200, NAN], nan_ok=True)
    assert found["flop_per_wh"].tolist() == pytest.approx([most / 2000, NAN, most / 8000, NAN], nan_ok=True)
