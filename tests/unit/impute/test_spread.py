"""The distribution around an estimate: ordered, calibrated, and wider where errors were larger."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pipeline.impute.calibration.grow import Rows, grow
from pipeline.impute.flop import conformal, residual_forest
from pipeline.impute.flop.methods import base_model, hardware
from pipeline.impute.flop.methods.features import FOLDS
from pipeline.impute.flop.residual_forest import above_base, in_order

N = 1000


def planted(seed: int = 3) -> tuple[pd.DataFrame, dict[str, np.ndarray], np.ndarray]:
    """Hardware estimates whose errors are ten times as large where `doubt` is 1, and more often too high."""
    draw = np.random.default_rng(seed)
    doubt = draw.integers(0, 2, N)
    error = draw.normal(0.05, 0.1, N) * np.where(doubt, 10, 1)
    made = pd.DataFrame({"method": hardware.METHOD, "assumptions": "", "error_dex": error, "weight": 1.0})
    made = made.assign(model_id=[f"m{place}" for place in range(N)])
    return made, {"doubt": doubt * 1.0, "noise": draw.normal(0, 1, N)}, draw.integers(0, FOLDS, N)


@pytest.fixture(scope="module")
def tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    made, seen, fold = planted()
    forest = grow(Rows(seen, -made["error_dex"].to_numpy(), np.ones(N), fold, np.ones(N, dtype=bool)))
    return forest, conformal.make_intervals(made).assign(scale=1.0)


def found(tables: tuple[pd.DataFrame, pd.DataFrame]) -> tuple[pd.DataFrame, pd.DataFrame, np.ndarray]:
    made, seen, fold = planted(seed=4)
    return made, residual_forest.quantiles(made, seen, fold, *tables), seen["doubt"]


def test_a_row_with_larger_errors_gets_the_wider_interval(tables: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    _, quantiles, doubt = found(tables)
    width = (quantiles["dex_95"] - quantiles["dex_05"]).to_numpy()
    assert np.median(width[doubt == 1]) > 1.5 * np.median(width[doubt == 0])


def test_the_interval_holds_what_it_promises_and_leans_to_the_side_of_the_errors(
    tables: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    made, quantiles, doubt = found(tables)
    off = -made["error_dex"]
    inside = off.between(quantiles["dex_05"], quantiles["dex_95"])
    assert inside.mean() > 0.88
    doubtful = quantiles[doubt == 1].mean()
    assert -doubtful["dex_05"] > doubtful["dex_95"], "estimates that are too high: the value lies below"


def test_quantiles_are_in_order_and_the_value_lies_between_the_ends(tables: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    _, quantiles, _ = found(tables)
    assert (np.diff(quantiles.to_numpy(), axis=1) >= 0).all()
    moved = quantiles + 0.7  # all of it above the value
    made = in_order(moved, pd.Series(np.nan, index=moved.index))
    assert (np.diff(made[["low", "quantile_25", "quantile_50", "quantile_75", "high"]].to_numpy(), axis=1) >= 0).all()
    assert (made["low"] <= -conformal.LEAST_DEX).all()


def test_above_a_base_alone_the_interval_begins_with_the_base() -> None:
    errors = pd.DataFrame(
        {"model_id": [f"m{n}" for n in range(39)], "method": base_model.METHOD, "assumptions": base_model.ALONE}
    ).assign(error_dex=np.arange(39) / 39, weight=1.0)
    table = conformal.make_intervals(errors)
    up = above_base(table)
    assert up["low"] == 0
    assert up["high"] == pytest.approx(0.9, abs=0.03)
    assert up["quantile_50"] == pytest.approx(0.5, abs=0.03)
    assert above_base(table[:0]) == {}
