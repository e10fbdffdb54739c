"""The published table of measured runs."""

from __future__ import annotations

import pandas as pd
import pytest

Tables = dict[str, pd.DataFrame]


@pytest.fixture(scope="module")
def runs(tables: Tables) -> pd.DataFrame:
    return tables["measured_runs"]


def test_every_run_is_there(runs: pd.DataFrame) -> None:
    assert runs["source_id"].value_counts().to_dict() == {
        "mlperf_training": 449, "megatron_bridge": 233, "llm_foundry": 216, "mlperf_power": 43,
    }  # fmt: skip


def test_no_run_does_more_than_its_chips_can(runs: pd.DataFrame) -> None:
    known = runs["share_of_peak"].dropna()
    assert known.between(0.02, 1).all()
    assert (
        runs.loc[runs["numerical_format"] == "BF16", "share_of_16bit_peak"].max() < 0.75
    )  # the bound of the inference
    assert runs.loc[runs["format_basis"] == "inferred", "share_of_16bit_peak"].min() > 0.75


def test_the_median_utilisation_of_a100_and_h100(runs: pd.DataFrame) -> None:
    # 46.6 % of 216 runs, 42 % on 64 chips and more: the medians of the column MFU of the page itself
    pages = runs[runs["source_id"] == "llm_foundry"]
    assert pages["mfu_stated"].median() == pytest.approx(0.466, abs=5e-4)
    assert pages["share_of_peak"].median() == pytest.approx(0.466, abs=3e-3)
    assert pages.loc[pages["chip_quantity"] >= 64, "mfu_stated"].median() == pytest.approx(0.42, abs=6e-3)


def test_all_but_two_chips_are_known(runs: pd.DataFrame) -> None:
    unknown = runs[
        runs["hardware_id"].isna() | runs["share_of_16bit_peak"].isna() & (runs["source_id"] != "mlperf_power")
    ]
    assert set(unknown["chip"]) == {"NVIDIA H200-NVL-141GB", "NVIDIA L40S"}  # not in the hardware table; no rate there


def test_chips_in_use_only_grow(tables: Tables) -> None:
    stock = tables["chip_stock"]
    assert stock["owner"].isna().sum() == 359
    assert stock["owner"].notna().sum() == 404
    assert (stock["units_p5"].fillna(0) <= stock["units"]).all()
    assert (stock["units"] <= stock["units_p95"]).all()
    so_far = stock[stock["scope"] == "cumulative"].sort_values("last_date")
    growth = (
        so_far.groupby(["designer", *(so_far[name].fillna("all") for name in ("chip", "owner"))])["units"]
        .diff()
        .dropna()
    )
    assert (growth >= 0).all()
