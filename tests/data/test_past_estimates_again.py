"""The past estimates in `scores` worked out again: what they rest on is read from the files of facts as they stood on
the day, and their quantiles follow in plain Python from the errors and trees of the day."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from pipeline.frames import Tables
from pipeline.paths import CHECKOUT

RAW = CHECKOUT / "data" / "raw"
QUANTILES = ["flop_05", "flop_25", "flop_50", "flop_75", "flop_95"]
FLOP = "training_compute_flop"
# its parameters are entries of a table, which say little of its compute
LOOKUP = "sparse-non-negative-matrix-snm-estimation"
DAYS = ["2022-09-01", "2025-11-01"]  # the first with estimates, and the first with one that was counted


def lines(folder: Path) -> Iterator[dict[str, str]]:
    for file in folder.glob("facts*.csv"):
        with file.open(encoding="utf-8", newline="") as opened:
            yield from (row | {"source_id": folder.name} for row in csv.DictReader(opened))


@pytest.fixture(scope="module")
def facts(tables: Tables) -> pd.DataFrame:
    """What sources ever said of each model; what we entered is left out."""
    told = pd.DataFrame([row for folder in RAW.iterdir() if "curated" not in folder.name for row in lines(folder)])
    said = pd.concat([tables[name][["source_id", "record", "model_id"]] for name in ("claims", "revisions")])
    named = said.dropna().astype("str").drop_duplicates(["source_id", "record"])
    return told.merge(named, on=["source_id", "record"])


def on_the_day(facts: pd.DataFrame, model: str, day: str) -> pd.DataFrame:
    of = facts[facts["model_id"] == model]
    return of[(of["since"] <= day) & ((of["until"] == "") | (of["until"] > day))]


@pytest.fixture(scope="module")
def standing(tables: Tables, facts: pd.DataFrame) -> list[tuple[pd.Series, pd.DataFrame]]:
    """Each past estimate with the facts of its model on the day. A few records have had another name since."""
    days = tables["scores"]["vintage"].dt.strftime("%Y-%m-%d")
    rows = [row for _, row in tables["scores"].assign(day=days).iterrows()]
    found = [(row, on_the_day(facts, row["model_id"], row["day"])) for row in rows]
    known = [(row, stood) for row, stood in found if len(stood)]
    assert len(known) >= 0.95 * len(found)
    return known


def test_the_tier_of_a_regression_says_whether_its_size_was_known(
    standing: list[tuple[pd.Series, pd.DataFrame]],
) -> None:
    tiers = {True: 3, False: 4}
    for row, stood in standing:
        if row["method"] == "statistical" and row["model_id"] != LOOKUP:
            assert row["tier"] == tiers[bool(stood["field"].str.startswith("parameters").any())], row["model_id"]


def test_a_physical_method_had_what_it_counts_with(
    facts: pd.DataFrame, standing: list[tuple[pd.Series, pd.DataFrame]]
) -> None:
    """Parameters and examples for a count (tier 1), and the FLOP of a base where that alone was known (tier 2), which
    is the least that the model can have taken."""
    other = [(row, stood) for row, stood in standing if row["method"] != "statistical"]
    assert len(other) >= 10
    for row, stood in other:
        if row["method"] == "operation_counting":
            assert row["tier"] == 1
            assert {"parameters", "training_tokens"} <= set(stood["field"])
        else:
            (base,) = stood.loc[stood["field"] == "base_model", "value_text"].unique()
            of_base = facts[(facts["record"] == base) & (facts["field"] == FLOP) & (facts["since"] <= row["day"])]
            assert (row["method"], row["tier"]) == ("base_plus_finetune", 2)
            assert row["flop_05"] == pytest.approx(float(of_base["value_text"].unique()[0]), rel=1e-3)


def test_a_count_by_hand(tables: Tables) -> None:
    """Hunyuan-TurboS: 56e9 active parameters in its note of parameters and 16e12 tokens, as stood in the notable models
    of 2025-11-01; half of such counts are too low."""
    of = tables["scores"].query("model_id == 'hunyuan-turbos' and method == 'operation_counting'")
    assert len(of) == 3
    assert of["flop_50"].to_numpy("float64") == pytest.approx(6 * 56e9 * 16e12, rel=0.02)
