"""The quantiles of estimates worked out again in plain Python: from the errors in data/calibration/intervals.csv and, where a
forest of residuals speaks as well, by walking the trees in data/calibration/spreads.csv."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from functools import cache

import numpy as np
import pandas as pd
import pytest
from checkouts import normalized

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.impute.flop import cascade, residual_forest
from pipeline.impute.flop.calibration_tables import load_calibrated
from pipeline.impute.flop.declared import load_declared
from pipeline.impute.flop.methods.second_opinion import own_columns
from pipeline.impute.flop.rows import base_edges, estimation_rows
from pipeline.impute.flop.uncertainty_features import uncertainty_features
from pipeline.registry.context import load_context
from pipeline.registry.frames import Tables

CALIBRATION = CHECKOUT / "data" / "calibration"
ENDS = ["low", "quantile_25", "quantile_50", "quantile_75", "high"]
SHARES = [0.05, 0.25, 0.5, 0.75, 0.95]
ALONE = "counted from a forward pass"  # with the index the only kinds of which the errors alone count
NO_MATTER = "usual number format of the chip"
UNKNOWN = -9.0  # what a tree sees where a number is missing
SAMPLE = 25  # of the estimates of each method that the forest speaks of


def read(name: str) -> list[dict[str, str]]:
    with (CALIBRATION / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def kinds() -> dict[tuple[str, str], tuple[list[float], float]]:
    """By method and assumptions: the errors, either side alike, and the scale."""
    found = {}
    for line in read("intervals.csv"):
        size = [float(text) for name, text in line.items() if name.startswith("error_")]
        found[line["method"], line["assumptions"]] = ([*size, *(-error for error in size)], float(line["scale"]))
    return found


def kind_of(method: str, assumptions: str) -> tuple[list[float], float]:
    said = [word for word in assumptions.split(";") if word and word != NO_MATTER]
    return kinds().get((method, ";".join(said) or "none"), kinds()[method, ""])


def quantiles(numbers: list[float], scale: float, inputs: float) -> list[float]:
    """Dex from the estimate: of each share the smallest number with at least that many at or below it, moved away from the
    median by the scale; the ends at least as far as the inputs are unsure, and all others between the ends."""
    ranked = sorted(numbers)
    found = [ranked[math.ceil(share * len(ranked) - 1e-9) - 1] for share in SHARES]
    low, *middle, high = (round(found[2] + (one - found[2]) * scale, 3) for one in found)
    least = max(inputs, 0.02)
    low, high = min(low, -least), max(high, least)
    return [low, *(min(max(one, low), high) for one in middle), high]


@cache
def trees() -> list[list[dict[str, str]]]:
    grown = defaultdict(list)
    for node in read("spreads.csv"):
        grown[int(node["tree"])].append(node)
    return [grown[number] for number in sorted(grown)]


def leaf(tree: list[dict[str, str]], seen: dict[str, float]) -> list[float]:
    """The left child of a node is the next row, the right one stands `right` rows further down."""
    at = 0
    while tree[at]["feature"]:
        at += int(tree[at]["right"]) if seen[tree[at]["feature"]] > float(tree[at]["at"]) else 1
    return [float(text) for name, text in tree[at].items() if name.startswith("dex_")]


def mixed(seen: dict[str, float], fold: int, errors: list[float]) -> list[float]:
    """The numbers in the leaves of the trees that grew without the fold, and about as many errors."""
    leaves = [number for tree in trees()[fold::5] for number in leaf(tree, seen)]
    return leaves + errors * max(1, round(len(leaves) / len(errors)))


def as_expected(row: pd.Series, dex: list[float]) -> bool:
    return np.allclose(row[ENDS].astype("float64"), [row["value"] * 10**one for one in dex], rtol=3e-3)


def test_the_quantiles_of_errors_that_count_alone(tables: Tables) -> None:
    """Of the capability index, and of forward passes that were counted from what was read."""
    made = tables["estimates"].query("quantile_50.notna()").fillna({"assumptions": ""})
    index = made[made["method"] == "capability_index"]
    passes = made[made["method"].eq("operation_counting") & made["assumptions"].eq(ALONE)]
    assert min(len(index), len(passes)) > 50
    for row in pd.concat([index, passes]).to_dict("records"):
        errors, scale = kind_of(row["method"], row["assumptions"])
        assert as_expected(pd.Series(row), quantiles(errors, scale, 0)), row["estimate_id"]


@pytest.fixture(scope="module")
def features(real: Paths) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What the methods say before they have quantiles, and beside each line what the forest looks at, with the fold."""
    context = load_context(real)
    made, calibrated = normalized(real), load_calibrated(real)
    rows = estimation_rows(made, load_declared(context))
    edges = base_edges(made["claims"], rows["model_id"])
    results = cascade.all_methods(rows, edges, calibrated)
    own = own_columns(rows, cascade.known_bases(results, rows, edges))
    values = {method: result["value"] for method, result in results.items()}
    about = uncertainty_features(rows, own, values, calibrated.opinions)
    said = pd.concat([result for result in results.values() if len(result)], ignore_index=True)
    said = said[said["value"].notna() & said["method"].isin(residual_forest.METHODS)]
    seen = pd.DataFrame(residual_forest.columns(said, about), index=said.index)
    return said, seen.fillna(UNKNOWN).round(3).assign(fold=about["fold"].reindex(said["model_id"]).to_numpy())


@pytest.mark.parametrize("method", ["operation_counting", "hardware", "statistical"])
def test_the_quantiles_that_the_forest_speaks_of(
    tables: Tables, features: tuple[pd.DataFrame, pd.DataFrame], method: str
) -> None:
    """Sums with a base are left out: they may be cut off below the low end of the base."""
    said, seen = features
    flop = tables["estimates"].query("field == 'training_compute_flop' and method == @method")
    made = flop.set_index("model_id")
    own = said[(said["method"] == method) & said["assumptions"].fillna("").ne(ALONE)]
    some = own.iloc[:: max(1, len(own) // SAMPLE)].fillna({"assumptions": "", "inputs_dex": 0.0})
    assert len(some) >= SAMPLE
    for place, row in some.iterrows():
        errors, scale = kind_of(method, row["assumptions"])
        numbers = mixed(seen.loc[place].to_dict(), int(seen.at[place, "fold"]), errors)
        expected = quantiles(numbers, scale, row["inputs_dex"])
        assert as_expected(made.loc[row["model_id"]], expected), row["model_id"]
