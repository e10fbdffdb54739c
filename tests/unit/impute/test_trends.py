"""Straight lines and their bootstrap, against data with a known answer."""

from __future__ import annotations

import math
from functools import cache
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from trend_models import models

from pipeline.impute import trends
from pipeline.impute.trends import decimal_year, draw_all_runs, prepare
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas
from traincompute.base.distributions import QUANTILES, Z

TABLE = load_schemas(Paths(CHECKOUT))["trends"]


def made_up(n: int = 300, slope: float = 0.6, noise: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    year = np.linspace(2010, 2026, n)
    return year, 20 + slope * (year - 2010) + np.random.default_rng(7).normal(0, noise, n)


def prepared(models: pd.DataFrame) -> pd.DataFrame:
    """The models as trends see them."""
    return prepare({"models": models})


def line_of(year: np.ndarray, log10: np.ndarray, sd: float = 0.0) -> trends.Lines:
    points = pd.DataFrame({"year": year, "log10": log10, "sd_dex": sd})
    return trends.fit_lines(points, [np.arange(len(year))])


def test_the_bootstrap_interval_is_that_of_theory() -> None:
    year, log10 = made_up()
    line = line_of(year, log10)
    spread = 0.5 / math.sqrt(((year - year.mean()) ** 2).sum())  # standard error of a slope
    low, high = trends.interval(line.sampled)[:, 0]
    assert (high - low) / 2 == pytest.approx(trends.Z[-1] * spread, rel=0.15)
    assert low < 0.6 < high


def test_measurement_uncertainty_widens_the_interval() -> None:
    year, log10 = made_up(noise=0.3)
    line = line_of(year, log10, sd=0.6)
    sampling, both = (float(np.ptp(trends.interval(d))) for d in (line.sampled, line.slopes))
    assert both / sampling == pytest.approx(math.sqrt(0.3**2 + 0.6**2) / 0.3, rel=0.15)


def test_estimated_values_and_undated_models_make_no_trend() -> None:
    some = models(30)
    some.loc[1, "publication_date"] = pd.NaT
    chosen = {
        "field": "training_compute_flop",
        "model_id": ["m000", "m005"],
        "is_selected": [True, False],
        "value": 1e20,
    }
    found = prepare({"models": some, "estimates": pd.DataFrame(chosen)})
    assert len(trends.make_points(found, "training_compute_flop")) == 28
    assert len(trends.make_points(found, "parameters")) == 29


def test_the_table_says_what_the_models_do() -> None:
    found = trends.make_trends(prepared(models()), TABLE).set_index("trend_id")
    row = found.loc["training_compute_flop:notable"]
    assert (row["n"], row["growth_per_year"]) == (60, 10.0)
    assert row["doubling_months"] == pytest.approx(12 * math.log10(2), rel=1e-5)
    assert found.loc["training_compute_flop:country:France:2010", "n"] == 60
    assert found.loc["training_compute_flop:country:Germany:2010", "n"] == 30
    assert math.isnan(found.loc["parameters:notable", "doubling_months"])  # they do not grow


# --- All runs, those without a value by their distributions


SINCE_2010 = trends.Key("notable", since="2010-01-01")
N = 400


@cache
def world(*, until: str, hidden_from: str = "2100-01-01", only_large: bool = True, sd: float = 0.1) -> pd.Series:
    """The row of notable models of a world whose compute grows by 0.6 dex a year
    scattered by 0.7 dex, in which from a day on the values of the larger half (or of all but each fifth) are hidden."""
    dates = pd.Series(pd.date_range("2012-01-01", until, periods=N)).dt.floor("D").astype("datetime64[s]")
    year = decimal_year(dates)
    scatter = np.random.default_rng(3).normal(0, 0.7, N)
    dex = 18 + 0.6 * (year - 2012) + scatter
    large = scatter > 0 if only_large else np.arange(N) % 5 > 0
    hidden = (dates >= pd.Timestamp(hidden_from)) & large
    about = {"publication_date": dates, "organizations": [f"owner {i}" for i in range(N)], "domains": "Vision"}
    flop = {"training_compute_flop": (10**dex).mask(hidden), "training_compute_confidence": "confident"}
    made_up = models(N, **about, **flop)
    quantiles = dict(zip(QUANTILES, 10 ** (dex.to_numpy() + sd * Z[:, None]), strict=True))
    said = made_up[["model_id"]].assign(tier=np.where(hidden, 4, 0), least_flop=np.nan, most_flop=np.nan, **quantiles)
    groups = trends.make_groups
    with mock.patch.object(trends, "make_groups", lambda *given: {SINCE_2010: groups(*given)[SINCE_2010]}):
        known = prepare({"models": made_up, "predictions": said})
        (row,) = trends.quantity_rows(known, "training_compute_flop", draw_all_runs(known))
    return pd.Series(row)


def test_the_hidden_runs_give_the_growth_back() -> None:
    row = world(until="2026-06-01", hidden_from="2018-01-01")
    assert row["growth_high"] < 10**0.6
    assert row["growth_all_runs_low"] < 10**0.6 < row["growth_all_runs_high"]
    assert row["growth_all_runs"] == pytest.approx(10**0.6, rel=0.04)


def test_the_share_with_a_value_and_the_warning() -> None:
    few = world(until="2026-06-01", hidden_from="2024-01-01", only_large=False)
    assert few["valued_share_since_2024"] == pytest.approx(0.2, abs=0.02)
    assert few["valued_share"] == pytest.approx(1 - 0.8 * 29 / 173, abs=0.02), "29 of 173 months"
    assert few["selection_warning"]
    all_published = world(until="2026-06-01")
    assert (all_published["valued_share"], all_published["valued_share_since_2024"]) == (1, 1)
    assert not all_published["selection_warning"]
    assert not world(until="2023-12-01", hidden_from="2019-01-01")["selection_warning"], "nothing since 2024"
