"""Lines, kinks and projections recomputed with plain least squares on a few points, and the groups that they are fitted
to."""

from __future__ import annotations

import math
from datetime import date

import numpy as np
import pandas as pd
import pytest
from trend_models import models

from pipeline.config import load_constants
from pipeline.impute.trends import completed, fit, series, shape, table
from pipeline.impute.trends.prepare import decimal_year, interval_of, prepare, published
from pipeline.impute.trends.project import project
from pipeline.paths import CHECKOUT, Paths
from pipeline.present.figures.growth import first_of_runs
from traincompute.base import draws as numbers

ERAS = load_constants(Paths(CHECKOUT))["eras"]
YEARS = np.array([2020.0, 2021.0, 2022.0, 2023.0])
VALUES = np.array([1.0, 2.0, 2.0, 3.0])  # around 1.1 + 0.6 t: beside it by -0.1, 0.3, -0.3 and 0.1


def weighted(t: np.ndarray, y: np.ndarray, weight: np.ndarray) -> list[float]:
    """Slope and level of a weighted line, by numpy."""
    return [float(part) for part in np.polyfit(t, y, 1, w=np.sqrt(weight))]


def test_a_line_through_four_points_by_hand() -> None:
    line = fit.fit_lines(YEARS, VALUES, np.zeros(4), [np.arange(4), np.array([1, 2]), np.array([3])])
    assert line.n.tolist() == [4, 2, 1]
    assert line.slope.tolist() == pytest.approx([0.6, 0, math.nan], nan_ok=True)
    assert line.level.tolist() == pytest.approx([1.1, 2, math.nan], nan_ok=True)
    assert line.r_squared.tolist() == pytest.approx([1 - 0.2 / 2, math.nan, math.nan], nan_ok=True)
    assert line.residual.tolist() == pytest.approx([math.sqrt(0.2 / 2), 0, math.nan], nan_ok=True)
    assert line.sampled[0, 0] == pytest.approx(6 / 9.2), (
        "the published first draw counts the points 2, 1, 0 and 2 times"
    )


def test_a_draw_is_a_line_with_the_weights_of_a_resample_and_the_errors_of_its_copies() -> None:
    t, y, sd = np.arange(12) / 2, np.arange(12) % 5 / 3, np.arange(12) / 10
    line = fit.fit_lines(t + 2020, y, sd, [np.arange(12)])
    assert line.slopes.shape == line.levels.shape == line.sampled.shape == (1000, 1)
    weights, error = fit.poisson_weights(fit.SEED, 1000, 12), fit.normals(fit.SEED + 1, 1000, 12)
    for draw in (0, 999):
        some = weights[draw] > 0
        weight, shift = weights[draw][some], (error[draw] * sd)[some] / np.sqrt(weights[draw][some])
        assert line.sampled[draw, 0] == pytest.approx(weighted(t[some], y[some], weight)[0])
        shifted = [line.slopes[draw, 0], line.levels[draw, 0]]
        assert shifted == pytest.approx(weighted(t[some], y[some] + shift, weight))


def test_points_a_whole_number_of_bags_apart_are_in_one_bag() -> None:
    found = fit._in_bags(np.arange(5.0), [np.arange(5), np.array([1, 3])], 2)
    assert found.tolist() == [[0 + 2 + 4, 0], [1 + 3, 1 + 3]]


def test_the_errors_of_a_bag_have_the_variances_and_the_covariance_of_its_sums() -> None:
    """Two points at 0 and 1 with a standard deviation of 1: Σe has the variance 2, Σte 1, and their covariance is 1."""
    weights = np.array([[1.0], [4.0]])
    level, along = fit._shifts(weights, np.array([0.0, 1.0]), np.ones(2), [np.arange(2)])
    first, second = fit.normals(fit.SEED + 1, 2, 1), fit.normals(fit.SEED + 2, 2, 1)
    assert level == pytest.approx(np.sqrt(weights) * first * math.sqrt(2))
    assert along == pytest.approx(np.sqrt(weights) * (first + second) / math.sqrt(2))


def test_numbers_that_are_drawn_are_as_many_as_asked_for() -> None:
    word = 9441442522235856127  # the first of seed 1, in test_trends.py too
    bits = [2.0 * int(bit) - 1 for byte in word.to_bytes(8, "little") for bit in f"{byte:08b}"]
    assert fit.signs(1, 1, 64)[0].tolist() == bits
    assert fit.signs(1, 3, 5).tolist() == [bits[:5], bits[5:10], bits[10:15]]
    assert fit.signs(1, 13, 5).shape == (13, 5)
    assert fit.normals(1, 3, 3).ravel().tolist() == numbers.normals(numbers.words(1, 10))[:9].tolist()
    assert fit.poisson_weights(1, 1, 5)[0].tolist() == [2, 1, 2, 1, 1]  # the first of RECORDED there


def test_how_often_a_row_occurs_has_the_shares_of_poisson() -> None:
    found = np.unique(fit.poisson_weights(2, 1, 400_000), return_counts=True)
    shares = dict(zip(found[0].tolist(), (found[1] / 400_000).tolist(), strict=True))
    expected = {k: math.exp(-1) / math.factorial(k) for k in range(6)}
    assert {k: shares[k] for k in expected} == pytest.approx(expected, abs=0.003)
    assert 7 <= max(shares) <= 10


def test_an_interval_leaves_a_twentieth_on_either_side_and_ignores_what_has_no_slope() -> None:
    draws = np.append(np.arange(101.0), np.nan)
    assert fit.interval(draws[:, None])[:, 0].tolist() == [5, 95]


# --- kinks


def squares(t: np.ndarray, y: np.ndarray, *more: np.ndarray) -> tuple[float, np.ndarray]:
    """What is left of y beside a line and more columns, and the coefficients."""
    basis = np.column_stack([np.ones(len(t)), t, *more])
    found = np.linalg.lstsq(basis, y, rcond=None)[0]
    return float(((y - basis @ found) ** 2).sum()), found


def kinked(t: np.ndarray, y: np.ndarray, places: np.ndarray) -> tuple[float, np.ndarray, float]:
    """The place of the clearest kink, its coefficients, and the share of the line's squares that it takes away."""
    left = [squares(t, y, np.maximum(t - place, 0)) for place in places]
    best = int(np.argmin([some for some, _ in left]))
    return float(places[best]), left[best][1], 1 - left[best][0] / squares(t, y)[0]


def test_the_comparison_is_that_of_least_squares_at_each_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty points in any order, some on one day, with sixty draws whose signs are shared by points sixteen apart."""
    for name, value in {"DRAWS": 60, "BAGS": 16, "PLACES": 9}.items():
        monkeypatch.setattr(shape, name, value)
    random = np.random.default_rng(5)
    year = np.round(random.uniform(2012, 2022, 50), 1)
    log10 = 20 + 0.3 * (year - 2012) + 0.1 * np.maximum(year - 2017, 0) + random.normal(0, 0.6, 50)
    found = shape.compare_shapes(year, log10)
    assert found is not None
    order = np.argsort(year, kind="stable")
    t, y = year[order] - 2020, log10[order] - log10.mean()
    places = shape._places(t)
    assert len(places) == 9
    at, (_, before, change), gain = kinked(t, y, places)
    straight, (level, slope) = squares(t, y)
    broken = [1 - squares(t, y, np.maximum(t - p, 0), (t >= p) * 1.0)[0] / straight for p in places]
    assert found.gains == pytest.approx((gain, max(broken)))
    assert found.figures["bic_kink"] == pytest.approx(-50 * math.log(1 - gain) - 2 * math.log(50))
    assert found.figures["bic_break"] == pytest.approx(-50 * math.log(1 - max(broken)) - 3 * math.log(50))
    assert found.years["kink_date"] == pytest.approx(at + 2020)
    assert found.years["break_date"] == pytest.approx(places[int(np.argmax(broken))] + 2020)
    assert found.figures["growth_before"] == pytest.approx(10**before)
    assert found.figures["growth_after"] == pytest.approx(10 ** (before + change))
    flips = fit.signs(fit.SEED, 60, 16)[:, np.arange(50) % 16]
    line = level + slope * t
    null = shape.gains(t, (line + flips * (y - line)).T)
    assert found.figures["p_kink"] == pytest.approx((1 + (null[0] >= gain).sum()) / 61)
    assert found.figures["p_break"] == pytest.approx((1 + (null[1] >= max(broken)).sum()) / 61)
    bent = squares(t, y, np.maximum(t - at, 0))[1] @ np.array([np.ones(50), t, np.maximum(t - at, 0)])
    again = [kinked(t, bent + flip * (y - bent), places) for flip in flips]
    dates = np.quantile([place for place, *_ in again], [0.05, 0.95]) + 2020
    after = 10 ** np.quantile([some[1] + some[2] for _, some, _ in again], [0.05, 0.95])
    assert [found.years["kink_date_low"], found.years["kink_date_high"]] == pytest.approx(dates)
    assert [found.figures["growth_after_low"], found.figures["growth_after_high"]] == pytest.approx(after)


def test_what_kinks_take_away_of_several_draws_is_that_of_least_squares() -> None:
    t = np.repeat(np.arange(20.0), 2) / 2 - 5
    y = np.random.default_rng(1).normal(0, 1, (40, 3)) + 7
    places, found = shape._places(t), shape.gains(t, y)
    for draw in range(3):
        left = squares(t, y[:, draw])[0]
        both = [squares(t, y[:, draw], np.maximum(t - p, 0), (t >= p) * 1.0)[0] for p in places]
        assert found[0, draw] == pytest.approx(kinked(t, y[:, draw], places)[2])
        assert found[1, draw] == pytest.approx(1 - min(both) / left)


def test_no_kink_is_looked_for_near_the_ends() -> None:
    assert shape._places(np.arange(0, 20, 0.5)).tolist() == np.arange(2.5, 17.5, 0.5).tolist(), "five points"
    hundred = np.arange(100) / 4
    assert (hundred[10], hundred[89]) == tuple(shape._places(hundred)[[0, -1]]), "a tenth of the points"
    assert len(shape._places(hundred)) == 40
    dense = np.concatenate([np.arange(20) / 40, 0.75 + np.arange(11) / 4, 3.5 + np.arange(21) / 40])
    assert shape._places(dense).tolist() == np.arange(1, 3.25, 0.25).tolist(), "a year"
    assert shape.gains(np.zeros(40), np.ones((40, 2))).tolist() == [[0, 0], [0, 0]], "nowhere"


def test_thirty_points_over_five_years_are_enough() -> None:
    year, log10 = np.linspace(2015, 2020, 30), np.random.default_rng(2).normal(0, 1, 30)
    assert shape.compare_shapes(year, log10) is not None
    assert shape.compare_shapes(year[:29], log10[:29]) is None
    assert shape.compare_shapes(year * 0.999, log10) is None
    assert shape.compare_shapes(np.repeat([2010.0, 2020.0], 20), np.arange(40.0) % 7) is None, "no day between"


# --- projections and rows of the table


def test_a_projection_by_hand() -> None:
    """Ten years and 0.0012 after 2020-01-01 by years of 365.2425 days: 20 + 0.5 · 10."""
    part = np.array([20.0])
    draws = np.linspace(-1, 1, 41)[:, None]  # of the level: 5 and 95 % are 0.9 away
    lines = fit.Lines(part, part * 0 + 0.5, part, part, part * 0 + 0.2, draws * 0 + 0.5, 20 + draws, draws)
    points = pd.DataFrame({"year": [2010.0, 2025.54, 2029.0]})
    (found,) = project(points, {"a": np.array([0, 1])}, lines, date(2030, 1, 1))
    middle = 20 + 0.5 * (1970 + 21915 / 365.2425 - 2020)  # 60 years with 15 leap days are 21,915 days
    single = math.hypot(0.9, 0.2 * 1.6448536)
    expected = [middle, middle - 0.9, middle + 0.9, middle - single, middle + single]
    powers = [found[name] for name in ("value", "low", "high", "model_low", "model_high")]
    assert powers == [float(f"{10**dex:.4g}") for dex in expected]
    assert found["years_beyond_data"] == 4.46


def test_a_row_has_the_line_in_powers_of_ten_and_in_months() -> None:
    assert table.doubling_months(math.log10(2)) == pytest.approx(12)
    assert table.doubling_months(math.log10(4)) == pytest.approx(6)
    assert math.isnan(table.doubling_months(0))
    assert math.isnan(table.doubling_months(-1))
    one = np.array([0.0, 1.0])
    lines = fit.Lines(one + 8, one * 2, one + 20, one / 4, one / 5, one, one, one)
    row = table._line(lines, 1, np.array([-1.0, 3.0]), np.array([1.0, 2.5]))
    assert row == {
        "n": 9, "r_squared": 0.25, "residual_dex": 0.2, "level_2020": 1e21, "growth_per_year": 100.0,
        "growth_low": 0.1, "growth_high": 1000.0, "doubling_months": pytest.approx(6 * math.log10(2)),
        "doubling_low": pytest.approx(4 * math.log10(2)), "doubling_high": pytest.approx(math.nan, nan_ok=True),
        "sampling_low": 10.0, "sampling_high": pytest.approx(10**2.5),
    }  # fmt: skip


def test_compute_alone_has_the_growth_of_all_runs_and_no_member_or_era_a_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "_of_all_runs", lambda drawn, _: {"of": drawn})
    monkeypatch.setattr(table, "_shape", lambda *_: {"shape": "kink"})
    for quantity, drawn in (("training_compute_flop", "runs"), ("parameters", None)):
        rows = table.quantity_rows(frame(40), quantity, "runs")
        assert {row["of"] for row in rows} == {drawn}
        shaped = {row["group"] for row in rows if "shape" in row}
        assert shaped == {"all", "notable", "running_top_ten", "language", "notable_language"}
        assert {"country", "organization", "era_compute"} <= {row["group"] for row in rows} - shaped


def test_the_name_of_a_trend_has_no_empty_parts() -> None:
    assert table.trend_id("parameters", series.Key("all")) == "parameters:all"
    key = series.Key("country", "France", "2010-01-01")
    assert table.trend_id("parameters", key) == "parameters:country:France:2010"


# --- the models and their groups


def frame(n: int, **columns: object) -> pd.DataFrame:
    """Models a half-year apart from 2010 on, as trends see them."""
    dates = pd.Series([pd.Timestamp(2010 + i // 2, 1 + i % 2 * 6, 1) for i in range(n)]).astype("datetime64[s]")
    return prepare({"models": models(n, publication_date=dates, **columns)}, ERAS)


def test_a_decimal_year_counts_years_of_365_2425_days() -> None:
    found = decimal_year(pd.Series(pd.to_datetime(["1970-01-01", "1969-12-31", "2020-01-01"])))
    assert found.tolist() == pytest.approx([1970, 1970 - 1 / 365.2425, 1970 + 18262 / 365.2425])


def test_the_quantities_with_an_interval_have_its_columns() -> None:
    assert interval_of("training_compute_flop") == ["training_compute_low", "training_compute_high"]
    assert interval_of("training_cost_usd") == ["training_cost_usd_low", "training_cost_usd_high"]
    assert interval_of("parameters") == []


def test_what_was_estimated_here_is_no_published_value() -> None:
    some = models(5)
    rows = [
        ("m000", "training_compute_flop", True, 1e20),
        ("m001", "training_compute_flop", False, 1e20),
        ("m002", "training_compute_flop", True, np.nan),  # a bound
        ("m003", "chip_hours", True, 1e3),
        ("m004", "parameters", True, 1e9),
    ]
    estimates = pd.DataFrame(rows, columns=["model_id", "field", "is_selected", "value"])
    found = published(some, estimates)
    assert found["training_compute_flop"].isna().tolist() == [True, False, False, False, False]
    assert found["parameters"].isna().tolist() == [False, False, False, False, True]
    assert published(some, None)["training_compute_flop"].notna().all()


def test_ranks_and_eras_are_those_of_notable_models_with_a_value() -> None:
    flop = [1e20, 1e21, np.nan, 1e19, 1e22]
    found = frame(5, training_compute_flop=flop, is_notable=[True, True, True, True, False], training_run_id=None)
    assert found["frontier_rank"].tolist() == pytest.approx([1, 1, np.nan, 3, np.nan], nan_ok=True)
    assert found["era_compute"].notna().tolist() == [True, True, False, True, False]
    assert found["training_run_id"].tolist() == ["m000", "m001", "m002", "m003", "m004"]
    some = frame(2, is_notable=pd.array([True, None], dtype="boolean"))
    assert some["frontier_rank"].tolist() == pytest.approx([1, np.nan], nan_ok=True)
    without = frame(2, is_notable=pd.array([None, None], dtype="boolean"))
    assert without["frontier_rank"].tolist() == [1, 1], "before the notable file all count"


def test_distributions_are_joined_and_undated_models_left_out() -> None:
    some = models(3).assign(publication_date=pd.to_datetime(["2020-01-01", None, "2021-01-01"]))
    said = pd.DataFrame({"model_id": ["m000", "m001"]}).assign(tier=4, least_flop=1.0, most_flop=2.0)
    said = said.assign(**{f"flop_{share}": 1e20 for share in ("05", "25", "50", "75", "95")})
    found = prepare({"models": some, "predictions": said}, ERAS)
    assert found["model_id"].tolist() == ["m000", "m002"]
    assert found["flop_50"].tolist() == pytest.approx([1e20, np.nan], nan_ok=True)
    assert found.index.tolist() == [0, 1]
    assert "index" not in found


def test_a_value_has_the_spread_of_its_interval_or_of_its_word() -> None:
    words = ["confident", "likely", "speculative", None]
    some = frame(4, training_compute_confidence=words, training_cost_usd=1.0)
    sd = series.make_points(some, "training_compute_flop")["sd_dex"] * 1.6448536
    assert sd.tolist() == pytest.approx([math.log10(3), 1, math.log10(31), 0])
    ends = {"training_cost_usd_low": [0.1, 1.0, 1.0, np.nan], "training_cost_usd_high": [10.0, 100.0, 1.0, 10.0]}
    cost = series.make_points(some.assign(**ends), "training_cost_usd")
    assert (cost["sd_dex"] * 1.6448536).tolist() == pytest.approx([1, 1, 0, 0]), "the words are about compute"
    assert cost["log10"].tolist() == [0, 0, 0, 0]
    assert not {"parameters", "index"} & set(cost)


def test_a_group_needs_eight_runs_over_three_years() -> None:
    fit_for = {key.group for key in series.make_groups(series.make_points(frame(8), "parameters"))}
    assert {"all", "notable", "running_top_ten"} <= fit_for
    assert "frontier_flag" not in fit_for
    assert series.make_groups(series.make_points(frame(7), "parameters")) == {}
    close = frame(8)
    days = pd.date_range("2010-01-01", "2012-12-31", periods=8).floor("D")
    close = close.assign(publication_date=days, year=decimal_year(pd.Series(days)).to_numpy())
    assert series.make_groups(series.make_points(close, "parameters")) == {}, "a day less than three years"
    (whole,) = {
        group.runs.size for key, group in series.make_groups(frame(8).assign(log10=0)).items() if key.group == "all"
    }
    assert whole == 8


def test_the_models_of_a_run_are_one_point_and_its_first() -> None:
    some = frame(10, training_run_id=["a", "b", "c", "d", "e", "f", "g", "h", "a", "b"])
    group = series.make_groups(some)[series.Key("all")]
    assert (group.models.tolist(), group.runs.tolist()) == (list(range(10)), list(range(8)))
    assert first_of_runs(some, np.arange(10) > 0).tolist() == [False, *[True] * 8, False]


def test_a_country_and_an_organisation_need_twenty_models_since_2010() -> None:
    owners = ["A"] * 20 + ["B"] * 19 + ["C;A"]
    places = ["X"] * 19 + ["Y"] * 20 + ["Y;X"]
    some = frame(40, organizations=owners, countries=places)
    keys = series.make_groups(some)
    members = {(key.group, key.member): group.runs.size for key, group in keys.items() if key.member}
    eras = {key for key in members if key[0].startswith("era")}
    assert {name for name, _ in eras} == {"era_compute", "era_economic"}
    expected = {("country", "X"): 20, ("country", "Y"): 21, ("organization", "A"): 21}
    assert {key: size for key, size in members.items() if key not in eras} == expected
    assert {key.since for key in keys if key.group in ("country", "organization")} == {"2010-01-01"}
    plain = {key.group for key in series.make_groups(some, members=False)}
    assert not plain & {"country", "organization"}
    early = some.assign(publication_date=some["publication_date"].mask(some.index == 0, pd.Timestamp("2009-12-31")))
    assert ("country", "X") not in {(key.group, key.member) for key in series.make_groups(early)}


def test_a_day_belongs_to_the_group_that_begins_then_and_not_to_one_that_ends_then() -> None:
    some = frame(4)  # 2010-01-01, 2010-07-01, 2011-01-01, 2011-07-01
    every = np.array([True, True, True, False])
    assert series.select(some, every).tolist() == every.tolist()
    assert series.select(some, every, since="2010-07-01").tolist() == [False, True, True, False]
    assert series.select(some, every, until="2010-07-01").tolist() == [True, False, False, False]


def test_the_plain_groups() -> None:
    domains = ["Language;Vision", "Vision", "Language", "Speech"]
    flags = pd.array([True, True, None, False], dtype="boolean")
    some = frame(4, domains=domains, is_notable=[True, False, False, True], is_frontier_upstream=flags)
    found = {
        name: rows.tolist()
        for name, rows in series.plain_groups(some.assign(frontier_rank=[10, 11, np.nan, 1])).items()
    }
    assert found == {
        "all": [True] * 4,
        "notable": [True, False, False, True],
        "frontier_flag": [True, False, False, False],
        "running_top_ten": [True, False, False, True],
        "language": [True, False, True, False],
        "notable_language": [True, False, False, False],
    }


def test_the_share_with_a_value_is_one_of_runs_and_warns_below_a_half() -> None:
    some = frame(6, training_run_id=["a", "b", "c", "d", "e", "a"], is_notable=[True] * 5 + [False])
    days = ["2020-01-01", "2023-12-31", "2024-01-01", "2024-06-01", "2025-01-01", "2025-01-01"]
    some = some.assign(publication_date=pd.to_datetime(days), parameters=[1, np.nan, 1, np.nan, np.nan, np.nan])
    plain = series.plain_groups(some)
    key = series.Key("notable")
    found = series.shares(some, plain, "parameters", key)
    assert found == {"valued_share": 0.4, "valued_share_since_2024": 0.3333, "selection_warning": True}
    half = series.shares(
        some.drop(index=4), {name: rows.drop(index=4) for name, rows in plain.items()}, "parameters", key
    )
    assert (half["valued_share_since_2024"], half["selection_warning"]) == (0.5, False)
    before = series.shares(some[:2], {name: rows[:2] for name, rows in plain.items()}, "parameters", key)
    assert (before["valued_share"], before["selection_warning"]) == (0.5, False)
    assert math.isnan(before["valued_share_since_2024"])


def test_those_that_are_found_by_value_are_sought_among_the_notable_ones() -> None:
    some = frame(
        3, is_notable=[True, False, True], countries=["X", "X;Y", "Y"], domains=["Language", "Language", "Vision"]
    )
    plain = series.plain_groups(some.assign(frontier_rank=[1, 1, 1]))
    keys = [series.Key("running_top_ten"), series.Key("era_compute", "deep"), series.Key("all"), series.Key("language"),
            series.Key("country", "Y")]  # fmt: skip
    found = [series.population(some, plain, key).tolist() for key in keys]
    assert found == [
        [True, False, True],
        [True, False, True],
        [True, True, True],
        [True, True, False],
        [False, True, True],
    ]


# --- kinks in the table


def shape_of(preferred: str, kink_days: int = 20089, break_days: int = 17897) -> shape.Shape:
    """A comparison that finds a kink and a break so many days after 1970-01-01: on the first days of 2025 and of
    2019."""
    years = {"kink_date": 1970 + kink_days / 365.2425, "break_date": 1970 + break_days / 365.2425}
    return shape.Shape(preferred, {"p_kink": 0.01}, years, (0.5, 0.6))


@pytest.mark.parametrize(
    ("preferred", "chances", "few", "said"),
    [
        ("kink", (0.05, 0.9), False, "kink"),
        ("kink", (0.06, 0.0), False, "line"),  # as often by selection alone
        ("break", (0.9, 0.05), False, "break"),
        ("kink", (0.01, 0.01), True, "line"),  # of 2025, since when few have a value
        ("break", (0.01, 0.01), True, "break"),  # of 2019
        ("line", (0.9, 0.9), True, "line"),
    ],
)
def test_a_change_is_called_one_where_neither_selection_nor_few_values_make_it(
    monkeypatch: pytest.MonkeyPatch, preferred: str, chances: tuple[float, float], few: bool, said: str
) -> None:
    monkeypatch.setattr(shape, "compare_shapes", lambda *_: shape_of(preferred))
    monkeypatch.setattr(completed, "by_selection_alone", lambda *_: chances)
    drawn = completed.Completed(pd.DataFrame(), np.array([]), np.array([]), np.array([]))
    row = table._shape(pd.DataFrame({"year": [], "log10": []}), series.Key("all"), drawn, few)
    assert row["shape"] == said
    tested = chances if preferred != "line" else (math.nan, math.nan)
    assert (row["p_kink_selection"], row["p_break_selection"]) == pytest.approx(tested, nan_ok=True)
    assert (row["kink_date"], row["break_date"]) == (pd.Timestamp("2025-01-01"), pd.Timestamp("2019-01-01"))
    assert row["p_kink"] == 0.01


def test_a_kink_of_the_first_day_of_2024_is_among_those_of_few_values(monkeypatch: pytest.MonkeyPatch) -> None:
    some = pd.DataFrame({"year": [], "log10": []})
    for day, said in (("2023-12-31", "kink"), ("2024-01-01", "line")):
        found = shape_of("kink", (pd.Timestamp(day) - pd.Timestamp("1970-01-01")).days)
        monkeypatch.setattr(shape, "compare_shapes", lambda *_, found=found: found)
        row = table._shape(some, series.Key("all"), None, True)
        assert (row["kink_date"], row["shape"]) == (pd.Timestamp(day), said)
    monkeypatch.setattr(shape, "compare_shapes", lambda *_: None)
    assert table._shape(some, series.Key("all"), None, False) == {}


def test_the_interval_of_all_runs_holds_their_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = completed.Completed(pd.DataFrame(), np.array([]), np.array([]), np.array([]))
    as_they_are, resampled = np.full(101, 2.0), np.linspace(0, 1, 101)
    monkeypatch.setattr(completed, "slopes", lambda *_: np.array([as_they_are, resampled]))
    found = table._of_all_runs(drawn, series.Key("all"))
    names = ["growth_all_runs", "growth_all_runs_low", "growth_all_runs_high"]
    assert [found[name] for name in names] == pytest.approx([100, 10**0.05, 100])
    monkeypatch.setattr(completed, "slopes", lambda *_: np.array([as_they_are - 3, resampled]))
    found = table._of_all_runs(drawn, series.Key("all"))
    assert [found[name] for name in names] == pytest.approx([0.1, 0.1, 10**0.95])
    assert (
        table._of_all_runs(drawn, series.Key("era_compute", "x")) == table._of_all_runs(None, series.Key("all")) == {}
    )
