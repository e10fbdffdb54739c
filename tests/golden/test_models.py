"""Follows real rows from the upstream file to the published row. The expected numbers are those in the upstream
file."""

from __future__ import annotations

import duckdb
import pandas as pd
import pytest

from pipeline.paths import Paths


@pytest.fixture(scope="module")
def tables(built_tables: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    return built_tables


@pytest.fixture(scope="module")
def models(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    return tables["models"].set_index("model_id")


def test_gpt3(models: pd.DataFrame) -> None:
    row = models.loc["gpt-3-175b-davinci"]
    assert row["training_compute_flop"] == 3.14e23  # Brown et al. 2020, table D.1
    assert row["training_compute_pfs_days"] == pytest.approx(3640, rel=0.01)  # the same table
    assert row["training_compute_source"] == "reported"
    assert row["parameters"] == 174_600_000_000
    assert row["publication_date"] == pd.Timestamp("2020-05-28")
    assert row["arxiv_id"] == "2005.14165"
    assert row["countries"] == "United States"
    assert row["hardware_quantity"] == 10_000


def test_alexnet(models: pd.DataFrame) -> None:
    row = models.loc["alexnet"]
    assert row["training_compute_flop"] == 4.7e17
    assert row["training_compute_source"] == "third_party"
    assert row["training_compute_method"] == "hardware;operation_counting;other"


def test_gpt4_keeps_its_bounds_of_confidence(models: pd.DataFrame) -> None:
    row = models.loc["gpt-4-mar-2023"]
    assert row["training_compute_flop"] == 2.1e25
    assert row["training_compute_confidence"] == "likely"


def test_a_mixture_of_experts_has_active_parameters(models: pd.DataFrame) -> None:
    row = models.loc["deepseek-v3"]
    assert (row["parameters"], row["parameters_active"]) == (671e9, 37e9)
    assert row["training_compute_high"] == 7.5928392e24


def test_a_fine_tune_points_at_its_base_and_is_imputed_from_it(
    tables: dict[str, pd.DataFrame], models: pd.DataFrame
) -> None:
    row = models.loc["goat-7b"]
    assert row["base_model_id"] == "llama-7b"
    assert row["finetune_compute_flop"] == 2.02e18
    # upstream's 4.00e22 for the base (6 × 6.7e9 × 1e12, arXiv:2302.13971), plus the fine-tune's own
    assert row["training_compute_flop"] == models.loc["llama-7b", "training_compute_flop"] + 2.02e18
    assert (row["training_compute_source"], row["training_compute_method"]) == ("imputed", "base_plus_finetune")
    assert row["training_compute_low"] < row["training_compute_flop"] < row["training_compute_high"]
    estimate = tables["estimates"].set_index("estimate_id").loc["goat-7b:training_compute_flop:base_plus_finetune"]
    inputs = tables["claims"].set_index("claim_id").loc[estimate["inputs"].split(";")]
    assert {*zip(inputs["model_id"], inputs["field"], strict=True)} == {
        ("goat-7b", "base_model"),
        ("goat-7b", "finetune_compute_flop"),
        ("llama-7b", "training_compute_flop"),
    }


def test_several_organisations_are_split_once(models: pd.DataFrame) -> None:
    row = models.loc["bloom-176b"]
    assert row["organization"] == "Hugging Face"
    assert row["organizations"] == "Hugging Face;BigScience"
    assert row["countries"] == "France;United States"


def test_a_list_in_a_numeric_cell_is_quarantined_and_the_row_kept(
    tables: dict[str, pd.DataFrame], models: pd.DataFrame
) -> None:
    assert pd.isna(models.loc["ablang-heavy-sequences", "dataset_size"])
    held = tables["quarantine"].query("field == 'dataset_size'")
    assert set(held["value_text"]) == {"2260275840,2290000001"}
    assert held["reason"].str.contains("several values in one cell").all()
    assert set(held["reason_code"]) == {"several_values"}


def test_names_are_cleaned_and_case_matters(models: pd.DataFrame) -> None:
    assert models.loc["vaetki", "name"] == "VAETKI"
    assert models.loc["allam-adapted-70b", "name"] == "ALLaM adapted 70B"
    assert {"CALM", "CaLM"} <= set(models["name"])


def test_a_dense_model_without_a_value_is_imputed_with_its_formula(
    tables: dict[str, pd.DataFrame], models: pd.DataFrame
) -> None:
    row = models.loc["bloom-3b"]
    assert row["training_compute_flop"] == 6 * 3e9 * 354e9  # Epoch AI: 3e9 parameters, 354e9 tokens, 1 epoch
    assert (row["training_compute_source"], row["training_compute_method"]) == ("imputed", "operation_counting")
    estimate = tables["estimates"].set_index("estimate_id").loc["bloom-3b:training_compute_flop:operation_counting"]
    assert estimate["formula"] == "6 × 3e+09 parameters × 3.54e+11 tokens"
    inputs = tables["claims"].set_index("claim_id").loc[estimate["inputs"].split(";")]
    assert set(inputs["field"]) == {"parameters", "dataset_size", "dataset_unit", "epochs"}


def test_imputation_abstains_with_a_reason(tables: dict[str, pd.DataFrame]) -> None:
    counted = tables["estimates"].query("method == 'operation_counting'").set_index("model_id")
    reasons = counted["reason"]
    assert reasons["vaetki"] == "needs tokens seen or the dataset's size"
    assert "base model" in reasons["goat-7b"]
    # 3e8 tokens for 7.1e9 parameters upstream; the paper (arXiv:2112.11446) trains on 3e11
    assert tables["estimates"].query("model_id == 'gopher-7.1b' and method != 'statistical'")["value"].isna().all()
    assert pd.isna(counted.loc["gopher-7.1b", "value"])


def test_hardware_is_resolved(tables: dict[str, pd.DataFrame]) -> None:
    chips = tables["model_hardware"].set_index("model_id")["hardware_id"]
    assert chips["gpt-3-175b-davinci"] == "nvidia-tesla-v100-dgxs-32-gb"
    assert (
        tables["hardware"].set_index("hardware_id").loc["nvidia-a100-sxm4-80-gb", "peak_tensor_fp16_flops"] == 3.12e14
    )


def test_the_duckdb_file_holds_the_same(built: Paths, tables: dict[str, pd.DataFrame], models: pd.DataFrame) -> None:
    path = str(built.processed / "traincompute.duckdb")
    with duckdb.connect(path, read_only=True) as connection:
        rows = connection.execute(
            """select model_id, training_compute_flop
                from models where training_compute_flop > 0"""
        ).fetchall()
        silent = connection.execute(
            """select count(*) from duckdb_columns()
                where not internal and coalesce(comment, '') = ''"""
        ).fetchone()
    assert dict(rows) == models["training_compute_flop"].dropna().to_dict()
    assert silent == (0,)
