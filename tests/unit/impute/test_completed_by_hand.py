"""Trends of all runs recomputed with plain least squares on a few runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from trend_models import models

from pipeline.config import load_constants
from pipeline.impute.trends import completed, fit, shape, table
from pipeline.impute.trends.completed import Completed, complete
from pipeline.impute.trends.prepare import prepare
from pipeline.impute.trends.series import Key
from pipeline.paths import CHECKOUT, Paths
from traincompute.base import draws as numbers
from traincompute.base.quantiles import QUANTILES, Z
from traincompute.frontier import draw
from traincompute.thresholds import errors, standing

ERAS = load_constants(Paths(CHECKOUT))["eras"]
N = 45
SEED = 20240101  # of the published draws


def prepared(n: int, sd: float = 0.1, **columns: object) -> pd.DataFrame:
    """Notable models forty days apart of log-normal distributions around 1e20, each with another one above it."""
    made = models(n, domains="Vision").assign(**columns)
    dex = 20 + np.arange(n)[:, None] / 10 + sd * Z
    said = made[["model_id"]].assign(tier=np.arange(n) % 2 * 4, least_flop=np.nan, most_flop=np.nan)
    said = said.assign(**dict(zip(QUANTILES, 10**dex.T, strict=True)))
    return prepare({"models": made, "predictions": said}, ERAS)


def runs(n: int = N, imputations: int = 3) -> Completed:
    """Runs with drawn values around a line; two of three have a published value."""
    random = np.random.default_rng(4)
    models = prepared(n)
    models = models.sample(frac=1, random_state=1).reset_index(drop=True)  # in no order of days
    t = models["year"].to_numpy() - 2020
    drawn = 20 + 0.5 * t[:, None] + random.normal(0, 0.8, (n, imputations))
    return Completed(models, np.arange(n), drawn, np.arange(n) % 3 > 0)


def test_a_run_is_drawn_with_the_errors_in_the_middle_of_each_hundredth() -> None:
    some = prepared(6, organizations="One;Two", training_run_id=["b", "a", "c", "d", "a", "e"])
    made = complete(some)
    assert made
    known = standing(some.assign(organization="One"))
    known = known[~known.index.duplicated()]
    expected = pd.DataFrame(np.log10(draw(known, errors(known)))[:, 5::10], known.index)
    assert made.drawn.shape == (5, 100)
    runs_of = some["training_run_id"].tolist()
    assert made.drawn[made.run] == pytest.approx(expected.loc[runs_of].to_numpy())
    assert made.is_published[made.run].tolist() == [bool(t == 0) for t in known["tier"].loc[runs_of]]


def test_without_distributions_or_of_too_many_models_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    some = prepared(4)
    assert complete(some.drop(columns=QUANTILES)) is None
    monkeypatch.setattr(completed, "MOST", 4)
    assert complete(some) is not None
    monkeypatch.setattr(completed, "MOST", 3)
    assert complete(some) is None


def test_a_group_begins_on_its_day() -> None:
    made = runs()
    day = made.models["publication_date"].sort_values().iloc[10].strftime("%Y-%m-%d")
    assert made.members(Key("all", since=day)).shape == (N, 1)
    assert made.members(Key("all", since=day)).sum() == N - 10
    assert made.members(Key("all")).all()
    assert np.isnan(made.t(Key("organization", "Nobody"))).all()


def top_ten(day: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Whether fewer than ten of those until the day are larger."""
    return np.array([(values[day <= until] > value).sum() < 10 for until, value in zip(day, values, strict=True)])


def test_the_ten_largest_of_a_draw_are_those_of_its_values() -> None:
    made = runs()
    day, marked = made.models["publication_date"].to_numpy(), np.arange(N) % 4 > 0
    for number in range(3):
        assert (made.top_ten[:, number] == top_ten(day, made.drawn[:, number])).all()
        among = made.among_ten(made.drawn, marked)[:, number]
        assert (among[marked] == top_ten(day[marked], made.drawn[marked, number])).all()
        assert not among[~marked].any()
    assert (made.members(Key("running_top_ten")) == made.top_ten).all()
    late = made.members(Key("running_top_ten", since="2020-01-01"))
    assert (late == made.top_ten & (made.t(Key("all")) >= -0.0003)[:, None]).all()
    assert 0 < late.sum() < made.top_ten.sum()


def test_the_slopes_are_those_of_least_squares_and_of_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completed, "IMPUTATIONS", 3)
    made = runs()
    for key in (Key("all", since="2019-01-01"), Key("running_top_ten")):
        inside = np.broadcast_to(made.members(key), (N, 3))
        weights = fit.poisson_weights(SEED, 3 * completed.RESAMPLES, N).T
        found, again = completed.slopes(made, key)
        assert len(again) == weights.shape[1] > 3
        for number in range(3):
            rows = inside[:, number]
            t, y = made.t(key)[rows], made.drawn[rows, number]
            assert found[number] == pytest.approx(np.polyfit(t, y, 1)[0])
            for resample in range(number, len(again), 3):
                resampled = np.sqrt(weights[rows, resample])
                assert again[resample] == pytest.approx(np.polyfit(t, y, 1, w=resampled)[0])


def test_a_hundred_imputations_are_resampled_four_times_each() -> None:
    assert (completed.IMPUTATIONS, completed.RESAMPLES) == (100, 4)  # as schemas/trends.yml and docs/method.md say


def test_a_resample_of_one_run_has_no_slope_and_the_interval_is_that_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(completed, "IMPUTATIONS", 50)
    made = runs(3, imputations=50)
    _, again = completed.slopes(made, Key("all"))
    one = (fit.poisson_weights(SEED, 200, 3) > 0).sum(axis=1) < 2
    assert one.any()
    assert np.isnan(again[one]).all()
    assert np.isfinite(again[~one]).all()
    growth = table._of_all_runs(made, Key("all"))
    assert growth["growth_all_runs_low"] == pytest.approx(10 ** np.quantile(again[~one], 0.05))
    assert growth["growth_all_runs_high"] == pytest.approx(10 ** np.quantile(again[~one], 0.95))


def test_a_bend_is_what_a_kink_adds() -> None:
    t = np.arange(8.0)
    y = np.column_stack([1 + 0.3 * t + 0.5 * np.maximum(t - 3, 0), 2 - t])
    y[7] = 99  # which has no part in the line
    bend = completed._bend(t, y, t < 7, 3.0)
    assert bend[:, 0] == pytest.approx(0.5 * np.maximum(t - 3, 0))
    assert bend[:, 1] == pytest.approx(0)


def exchanged(t: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """Each distance from the line that of a point of the same ten, by the words of a seed (points × draws)."""
    made = np.empty_like(y)
    for number in range(y.shape[1]):
        slope, level = np.polyfit(t, y[:, number], 1)
        for point in range(len(t)):
            first = point // 10 * 10
            share = (int(numbers.words(seed, y.size)[point * y.shape[1] + number]) >> 11) / 2**53
            other = first + int(share * min(10, len(t) - first))
            made[point, number] = level + slope * t[point] + y[other, number] - level - slope * t[other]
    return made


def test_distances_are_exchanged_among_ten_neighbours() -> None:
    t, y = np.arange(13.0), np.random.default_rng(2).normal(0, 1, (13, 2))
    assert completed._exchanged(t, y, 7) == pytest.approx(exchanged(t, y, 7))


def bent(t: np.ndarray, y: np.ndarray, rows: np.ndarray, at: float) -> np.ndarray:
    hinge = np.maximum(t - at, 0)
    basis = np.column_stack([np.ones(len(t)), t, hinge])
    return y - hinge * np.linalg.lstsq(basis[rows], y[rows], rcond=None)[0][2]


@pytest.mark.parametrize("group", ["all", "running_top_ten"])
def test_selection_alone_is_tried_on_the_published_runs_of_a_straightened_world(
    monkeypatch: pytest.MonkeyPatch, group: str
) -> None:
    monkeypatch.setattr(completed, "IMPUTATIONS", 3)
    made, key = runs(), Key(group, since="2018-06-01")
    inside, t = np.broadcast_to(made.members(key), (N, 3)), made.t(Key("all"))
    day, since = (
        made.models["publication_date"].to_numpy(),
        (made.models["publication_date"] >= "2018-06-01").to_numpy(),
    )
    worlds = np.column_stack([bent(t, made.drawn[:, i], inside[:, i], -0.2) for i in range(3)])
    gains = []
    for number in range(3):
        rows = made.is_published & since
        if group == "running_top_ten":
            rows = np.flatnonzero(made.is_published)
            rows = rows[top_ten(day[rows], worlds[rows, number])]
            rows = np.isin(np.arange(N), rows) & since
        places = np.flatnonzero(rows)[np.argsort(t[rows])]
        seed, some = (SEED + number, [number]) if group == "running_top_ten" else (SEED, [0, 1, 2])
        world = exchanged(t[places], worlds[np.ix_(places, some)], seed)
        gains.append(shape.gains(t[places], world)[:, some.index(number)])
    for limit in (0, 1, 2):
        clear = np.sort(np.array(gains), axis=0)[limit]
        found = shape.Shape("kink", {}, {"kink_date": 2019.8}, (clear[0] * (1 - 1e-9), clear[1] * (1 - 1e-9)))
        as_clear = (1 + 3 - limit) / (1 + 3)
        assert completed.by_selection_alone(made, key, found) == pytest.approx((as_clear, as_clear))
