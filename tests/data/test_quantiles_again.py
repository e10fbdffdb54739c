"""The quantiles of estimates worked out again in plain Python: from the errors in data/calibration/intervals.csv and,
where a forest of residuals speaks as well, by walking the trees in data/calibration/spreads.csv."""

from __future__ import annotations

import csv
from functools import cache

import numpy as np
import pandas as pd
import pytest
from checkouts import normalized
from forest_sees import forest_sees
from plain_quantiles import Kinds, Line, kind_of, kinds_of, quantiles, trees_of

from pipeline.config import load_config
from pipeline.frames import Tables
from pipeline.impute.flop.calibration_tables import load_calibrated
from pipeline.impute.flop.rows import base_edges, estimation_rows, load_declared
from pipeline.paths import CHECKOUT, Paths

CALIBRATION = CHECKOUT / "data" / "calibration"
ENDS = ["low", "quantile_25", "quantile_50", "quantile_75", "high"]
ALONE = "counted from a forward pass"  # the only kind of which the errors alone count


def read(name: str) -> list[dict[str, str]]:
    with (CALIBRATION / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def kinds() -> Kinds:
    return kinds_of(read("intervals.csv"))


@cache
def trees() -> list[list[Line]]:
    return trees_of(read("spreads.csv"))


def as_expected(row: pd.Series, dex: list[float]) -> bool:
    return np.allclose(row[ENDS].astype("float64"), [row["value"] * 10**one for one in dex], rtol=3e-3)


def test_the_quantiles_of_errors_that_count_alone(tables: Tables) -> None:
    """Of forward passes that were counted from what was read."""
    made = tables["estimates"].query("method == 'operation_counting' and assumptions == @ALONE and quantile_50.notna()")
    assert len(made) > 50
    for row in made.to_dict("records"):
        errors, scale = kind_of(kinds(), row["method"], row["assumptions"])
        assert as_expected(pd.Series(row), quantiles(errors, scale, 0)), row["estimate_id"]


def test_the_quantiles_of_the_index(tables: Tables) -> None:
    """Half-widths of the line of the model's owner, else of the line for all others."""
    made = tables["estimates"].query("method == 'capability_index' and quantile_50.notna()")
    organization = tables["models"].set_index("model_id")["organization"]
    parent = tables["organizations"].set_index("organization")["parent"].dropna()
    lines = {
        line["owner"]: [float(line[f"half_width_{level}"]) for level in (50, 90)]
        for line in read("capability_index.csv")
    }
    own = 0
    for row in made.to_dict("records"):
        name = organization[row["model_id"]]
        half, most = lines.get(owner := parent.get(name, name), lines[""])
        own += owner in lines
        assert as_expected(pd.Series(row), [-most, -half, 0, half, most]), row["estimate_id"]
    assert own > 50


@pytest.fixture(scope="module")
def said(real: Paths) -> pd.DataFrame:
    """What the methods say before they have quantiles, and what the forest looks at."""
    made = normalized(real)
    rows = estimation_rows(made, load_declared(load_config(real)))
    return forest_sees(rows, base_edges(made["claims"], rows["model_id"]), load_calibrated(real))
