"""Straight lines, their bootstrap, kinks and projections, against data with a known answer."""

from __future__ import annotations

import math
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from trend_models import models

from pipeline.config import load_constants
from pipeline.impute.trends import fit, series, shape, table
from pipeline.impute.trends.prepare import prepare
from pipeline.impute.trends.project import project
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas

ERAS = load_constants(Paths(CHECKOUT))["eras"]
RECORDED = [2.0, 1.0, 2.0, 1.0, 1.0, 2.0, 1.0, 3.0]  # Poisson numbers from the first two raw words of seed 1
TABLE = load_schemas(Paths(CHECKOUT))["trends"]


def made_up(
    n: int = 300, slope: float = 0.6, noise: float = 0.5, kink: float = 0.0, at: float = 2016.0
) -> tuple[np.ndarray, np.ndarray]:
    """Years 2010 to 2026 and log10 values around a line of that slope, which changes by `kink` from `at` on."""
    year = np.linspace(2010, 2026, n)
    scatter = np.random.default_rng(7).normal(0, noise, n)
    return year, 20 + slope * (year - 2010) + kink * np.maximum(year - at, 0) + scatter


def prepared(models: pd.DataFrame) -> pd.DataFrame:
    """The models as trends see them."""
    return prepare({"models": models}, ERAS)


def line_of(year: np.ndarray, log10: np.ndarray, sd: float = 0.0) -> fit.Lines:
    return fit.fit_lines(year, log10, np.full(len(year), sd), [np.arange(len(year))])


def test_a_line_is_that_of_least_squares() -> None:
    year, log10 = made_up()
    slope, level = np.polyfit(year - fit.EPOCH, log10, 1)
    line = line_of(year, log10)
    assert line.slope[0] == pytest.approx(slope, rel=1e-9)
    assert line.level[0] == pytest.approx(level, rel=1e-9)
    assert line.r_squared[0] == pytest.approx(np.corrcoef(year, log10)[0, 1] ** 2, rel=1e-9)


def test_the_bootstrap_interval_is_that_of_theory() -> None:
    year, log10 = made_up()
    line = line_of(year, log10)
    spread = 0.5 / math.sqrt(((year - year.mean()) ** 2).sum())  # standard error of a slope
    low, high = fit.interval(line.sampled)[:, 0]
    assert (high - low) / 2 == pytest.approx(series.Z90 * spread, rel=0.15)
    assert low < 0.6 < high


def test_the_interval_holds_the_truth_nine_times_in_ten() -> None:
    inside = 0
    for i in range(200):
        noise = np.random.default_rng(i).normal(0, 0.5, 80)
        year = np.linspace(2010, 2026, 80)
        low, high = fit.interval(line_of(year, 20 + 0.6 * (year - 2010) + noise).sampled)[:, 0]
        inside += bool(low < 0.6 < high)
    assert (
        166 <= inside <= 190
    )  # 180 expected, binomial 99 % interval 168–190; resampling is known to be a little narrow


def test_measurement_uncertainty_widens_the_interval() -> None:
    year, log10 = made_up(noise=0.3)
    line = line_of(year, log10, sd=0.6)
    sampling, both = (float(np.ptp(fit.interval(d))) for d in (line.sampled, line.slopes))
    assert both / sampling == pytest.approx(math.sqrt(0.3**2 + 0.6**2) / 0.3, rel=0.15)


def test_groups_are_fitted_each_on_its_own() -> None:
    year, log10 = made_up()
    half, other = np.arange(150), np.arange(150, len(year))
    both = fit.fit_lines(year, log10, np.zeros(len(year)), [half, other])
    assert both.n.tolist() == [150, 150]
    assert both.slope[0] == pytest.approx(np.polyfit(year[half], log10[half], 1)[0], rel=1e-9)


def test_many_models_are_resampled_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line and a kink are the same, and their intervals as wide, as when each is resampled on its own."""
    mixed = np.random.default_rng(3).permutation(3000)
    year, log10 = (values[mixed] for values in made_up(3000, kink=0.5))
    sd = np.where(np.arange(3000) % 3, 0.6, 0.0)
    apart = [np.arange(3000), np.arange(0, 3000, 2)]

    def fitted(bags: int) -> tuple[fit.Lines, shape.Shape]:
        for module in (fit, shape):
            monkeypatch.setattr(module, "BAGS", bags)
        found = shape.compare_shapes(year, log10)
        assert found is not None
        return fit.fit_lines(year, log10, sd, apart), found

    (whole, kinked), (grouped, kinked_in_groups) = fitted(3000), fitted(300)
    for name in ("n", "slope", "level", "r_squared", "residual"):
        assert getattr(grouped, name) == pytest.approx(getattr(whole, name), rel=1e-9)
    for name in ("slopes", "levels", "sampled"):
        wide = np.ptp(fit.interval(getattr(whole, name)), axis=0)
        assert np.ptp(fit.interval(getattr(grouped, name)), axis=0) == pytest.approx(wide, rel=0.15), name
    both = [found.figures | found.years for found in (kinked, kinked_in_groups)]
    for name in ("bic_kink", "bic_break", "kink_date", "break_date", "growth_before", "growth_after"):
        assert both[1][name] == pytest.approx(both[0][name], rel=1e-9), name
    wide, narrow = (np.log10(found["growth_after_high"] / found["growth_after_low"]) for found in both)
    assert narrow == pytest.approx(wide, rel=0.15)
    assert both[1]["p_kink"] == both[0]["p_kink"]


def test_draws_have_their_distributions() -> None:
    weights, normal, sign = fit.poisson_weights(1, 200, 500), fit.normals(1, 200, 500), fit.signs(1, 200, 500)
    assert (weights.mean(), weights.var()) == pytest.approx((1, 1), abs=0.02)
    assert (normal.mean(), normal.std()) == pytest.approx((0, 1), abs=0.02)
    assert (normal**4).mean() == pytest.approx(3, abs=0.1)
    assert set(np.unique(sign)) == {-1.0, 1.0}
    assert sign.mean() == pytest.approx(0, abs=0.02)


def test_draws_do_not_depend_on_the_version_of_numpy() -> None:
    # recorded with numpy 2.4; NEP 19 promises that raw streams stay as they are
    assert np.random.PCG64(1).random_raw(2).tolist() == [9441442522235856127, 17532960557476522086]
    assert fit.poisson_weights(1, 1, 8)[0].tolist() == RECORDED


def test_a_kink_is_found_where_it_is() -> None:
    found = shape.compare_shapes(*made_up(slope=0.2, kink=0.5))
    assert found is not None
    assert found.preferred == "kink"
    assert found.years["kink_date"] == pytest.approx(2016, abs=0.7)
    assert found.years["kink_date_low"] <= 2016 <= found.years["kink_date_high"]
    assert np.log10(found.figures["growth_before"]) == pytest.approx(0.2, abs=0.06)
    assert found.figures["growth_after_low"] < 10**0.7 < found.figures["growth_after_high"]
    assert found.figures["p_kink"] == pytest.approx(0.001, abs=0.0005)


def test_a_break_is_told_from_a_kink() -> None:
    year, log10 = made_up(slope=0.3)
    found = shape.compare_shapes(year, log10 - 2.0 * (year >= 2019))
    assert found is not None
    assert found.preferred == "break"
    assert found.years["break_date"] == pytest.approx(2019, abs=0.5)


def test_a_straight_line_is_left_straight() -> None:
    clear = 0
    for i in range(150):
        year = np.linspace(2010, 2026, 60)
        log10 = 0.6 * year + np.random.default_rng(i).normal(0, 0.2 + 0.05 * (year - 2010))
        found = shape.compare_shapes(year, log10)
        assert found is not None
        clear += found.figures["p_kink"] < 0.05
    # 7.5 of 150 expected, 99.8 % interval of the binomial distribution 1 to 17; the spread grows with the years
    assert 1 <= clear <= 17


def test_too_little_is_not_compared() -> None:
    year, log10 = made_up(n=20)
    assert shape.compare_shapes(year, log10) is None
    year, log10 = made_up()
    assert shape.compare_shapes(2020 + (year - 2010) / 8, log10) is None
    assert shape.compare_shapes(year, 0.6 * year) is None


def test_an_interval_becomes_a_spread_and_a_word_stands_in_for_it() -> None:
    some = models(30).assign(training_compute_low=np.nan, training_compute_high=np.nan)
    some.loc[0, ["training_compute_low", "training_compute_high"]] = [1e20, 1e22]
    points = series.make_points(prepared(some), "training_compute_flop")
    assert points["sd_dex"][0] == pytest.approx(1 / series.Z90)  # ± one power of ten is a 90 % interval
    assert points["sd_dex"][1] == pytest.approx(1 / series.Z90)  # "likely" is a factor 10 either way
    assert series.make_points(prepared(some), "parameters")["sd_dex"].eq(0).all()


def test_estimated_values_and_undated_models_make_no_trend() -> None:
    some = models(30)
    some.loc[1, "publication_date"] = pd.NaT
    chosen = {
        "field": "training_compute_flop",
        "model_id": ["m000", "m005"],
        "is_selected": [True, False],
        "value": 1e20,
    }
    found = prepare({"models": some, "estimates": pd.DataFrame(chosen)}, ERAS)
    assert len(series.make_points(found, "training_compute_flop")) == 28
    assert len(series.make_points(found, "parameters")) == 29


def test_the_table_says_what_the_models_do() -> None:
    found = table.make_trends(prepared(models()), TABLE).set_index("trend_id")
    row = found.loc["training_compute_flop:notable"]
    assert (row["n"], row["growth_per_year"]) == (60, 10.0)
    assert row["doubling_months"] == pytest.approx(12 * math.log10(2), rel=1e-5)
    assert found.loc["training_compute_flop:country:France:2010", "n"] == 60
    assert found.loc["training_compute_flop:country:Germany:2010", "n"] == 30
    assert math.isnan(found.loc["parameters:notable", "doubling_months"])  # they do not grow


@pytest.fixture
def _of_compute_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table has the trends of one quantity."""
    monkeypatch.setattr(table, "QUANTITIES", {"training_compute_flop": "FLOP"})


@pytest.mark.usefixtures("_of_compute_alone")
def test_the_table_is_the_same_twice_and_from_the_cache(tmp_path: Path) -> None:
    paths, some = Paths(tmp_path), models()
    cold = table.trends(paths, prepared(some), TABLE)
    files = list((paths.cache / "tables").iterdir())
    assert len(files) == 1
    pd.testing.assert_frame_equal(table.trends(paths, prepared(some), TABLE), cold)
    pd.testing.assert_frame_equal(table.make_trends(prepared(some), TABLE), cold)


@pytest.mark.usefixtures("_of_compute_alone")
def test_a_damaged_cache_is_made_again(tmp_path: Path) -> None:
    paths, some = Paths(tmp_path), models()
    cold = table.trends(paths, prepared(some), TABLE)
    (file,) = (paths.cache / "tables").iterdir()
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 0xFF
    file.write_bytes(data)
    pd.testing.assert_frame_equal(table.trends(paths, prepared(some), TABLE), cold)
    file.write_bytes(data[:100])
    pd.testing.assert_frame_equal(table.trends(paths, prepared(some), TABLE), cold)


@pytest.mark.usefixtures("_of_compute_alone")
def test_another_value_is_another_cache_entry(tmp_path: Path) -> None:
    paths, some = Paths(tmp_path), models()
    table.trends(paths, prepared(some), TABLE)
    some.loc[3, "training_compute_flop"] *= 1.0000001
    table.trends(paths, prepared(some), TABLE)
    assert len(list((paths.cache / "tables").iterdir())) == 2


def test_a_projection_follows_the_line() -> None:
    points = series.make_points(prepared(models()), "training_compute_flop")
    groups = {series.Key("notable"): np.arange(len(points))}
    (found,) = project(points, groups, table.lines_of(points, groups), date(2030, 1, 1))
    assert found["value"] == pytest.approx(1e32, rel=0.01)  # 1e20 in 2018, tenfold a year
    assert found["low"] < found["value"] < found["high"]
    assert found["model_low"] <= found["low"]
    assert found["model_high"] >= found["high"]
