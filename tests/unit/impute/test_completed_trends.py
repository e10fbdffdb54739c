"""Trends of all runs, with or without a value, in worlds that are known."""

from __future__ import annotations

from functools import cache
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from trend_models import models

from pipeline.config import load_constants
from pipeline.impute.trends import series, table
from pipeline.impute.trends.completed import complete
from pipeline.impute.trends.prepare import decimal_year, prepare
from pipeline.impute.trends.series import Key
from pipeline.paths import CHECKOUT, Paths
from traincompute.base.quantiles import QUANTILES, Z

ERAS = load_constants(Paths(CHECKOUT))["eras"]
SINCE_2010 = Key("notable", since="2010-01-01")
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
    groups = series.make_groups
    with mock.patch.object(series, "make_groups", lambda *given: {SINCE_2010: groups(*given)[SINCE_2010]}):
        prepared = prepare({"models": made_up, "predictions": said}, ERAS)
        (row,) = table.quantity_rows(prepared, "training_compute_flop", complete(prepared))
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
