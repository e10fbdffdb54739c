"""Real logs and tables through to the published row."""

from __future__ import annotations

import json
import shutil
from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from checkouts import copy_declarations

from pipeline.config import Config, load_config, load_sources
from pipeline.frames import Tables, conform
from pipeline.impute.derive import derive_measured
from pipeline.normalize.stage import read_ledger, read_vintage, record_tables
from pipeline.paths import CHECKOUT, Paths
from pipeline.pull.snapshot import Request, pull_source

MEASURED = Path(__file__).parent / "measured"
FILES = {
    "mlperf_training": "mlcommons/**/*.*",
    "mlperf_power": "power.csv",
    "llm_foundry": "llm_foundry.md",
    "megatron_bridge": "megatron_bridge.md",
    "epoch_chip_counts": "chips/*.csv",
    "epoch_chip_owners": "owners/*.csv",
    "epoch_chip_sales": "sales/*.csv",
    "epoch_data_centers": "data_centers/*.csv",
}
FP8_H100, BF16_H100 = 1.979e15, 9.894e14  # NVIDIA H100 data sheet, dense


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """The golden rows beside the chips of the real ledger."""
    paths = Paths(tmp_path_factory.mktemp("measured"))
    copy_declarations(paths.root)
    paths.raw.mkdir(parents=True, exist_ok=True)
    for name in ("epoch_hardware", "curated_hardware"):
        shutil.copytree(CHECKOUT / "data" / "raw" / name, paths.raw / name)
    (paths.raw / "selection.yml").write_text("default: []\n")
    locked = json.loads((CHECKOUT / "data" / "raw" / "lock.json").read_bytes())
    paths.lock.write_text(json.dumps({"epoch_hardware": locked["epoch_hardware"]}))
    for name in FILES:
        shutil.copytree(CHECKOUT / "data" / "raw" / name, paths.raw / name, ignore=shutil.ignore_patterns("facts.csv"))
    sources = load_sources(paths)
    for name, pattern in FILES.items():
        files = tuple(sorted(file for file in MEASURED.glob(pattern) if file.is_file()))
        pull_source(paths, sources[name], Request(files=files, as_of=date(2026, 8, 1)), lambda _: None)
    return load_config(paths)


@pytest.fixture(scope="module")
def records(context: Config) -> Tables:
    """The tables of the newest records, as a build makes them."""
    made = record_tables(context, read_vintage(context, read_ledger(context), None))
    return {name: conform(frame, context.schemas[name]).set_index("name", drop=False) for name, frame in made.items()}


@pytest.fixture(scope="module")
def runs(context: Config, records: Tables) -> pd.DataFrame:
    made = derive_measured(context, *(records[name].reset_index(drop=True) for name in ("measured_runs", "hardware")))
    return made.set_index("name")


def test_gpt3_on_512_h100_by_the_log(runs: pd.DataFrame) -> None:
    row = runs.loc["MLPerf 3.0 NVIDIA dgxh100_n64_nemo gpt3 0"]
    assert (row["hardware_id"], row["chip_quantity"]) == ("nvidia-h100-sxm5-80gb", 512)
    assert row["training_hours"] * 60 == pytest.approx(64.29, abs=0.01)  # run_start to run_stop
    assert row["training_tokens"] == 1_207_959_552 == 589_824 * 2048  # as logged
    assert row["training_compute_flop"] == pytest.approx(6 * 175e9 * 1_207_959_552)
    assert row["achieved_flops_per_chip"] == pytest.approx(6 * 175e9 * 1_207_959_552 / (512 * 64.29 * 60), rel=1e-3)
    assert pd.isna(row["format_in_use"])  # 65 % of the 16-bit peak: 16 or 8 bits, and nobody says which
    assert row["share_of_16bit_peak"] == pytest.approx(row["achieved_flops_per_chip"] / BF16_H100)


def test_a_fine_tune_with_lora_counts_four_flop_per_parameter_and_token(runs: pd.DataFrame) -> None:
    row = runs.loc["MLPerf 4.0 NVIDIA h200_ngc24.04_nemo llama2_70b_lora 0"]
    assert (row["samples"], row["sequence_length"]) == (3072, 8192)
    assert row["training_compute_flop"] == 4 * 70e9 * 3072 * 8192
    assert row["stage"] == "lora"


def test_more_than_the_16_bit_peak_allows_says_8_bits(runs: pd.DataFrame) -> None:
    gb300 = runs.loc["MLPerf 5.1 NVIDIA hsg_ngpu5120_ngc25.09_nemo llama31_405b 1"]
    assert gb300["chip_quantity"] == 5120
    assert (gb300["format_in_use"], gb300["format_basis"]) == ("FP8", "inferred")
    tpu = runs.loc["MLPerf 4.1 Google cloud-tpu-v5p-4096-maxtext gpt3 0"]
    assert tpu["share_of_16bit_peak"] == pytest.approx(0.826, abs=1e-3)
    assert tpu["format_in_use"] == "INT8"  # a TPU v5p has no FP8
    assert tpu["share_of_peak"] == pytest.approx(0.413, abs=1e-3)


def test_power_is_read_before_and_behind_the_supplies(runs: pd.DataFrame) -> None:
    row = runs.loc["MLPerf 4.0 power 64xSMC-H100-SXM-80GB gpt3 result_5848-240517221859825376616_2"]
    assert (row["node_power_ac_w"], row["node_power_dc_w"]) == (6848.3, 6736.6)
    assert row["power_per_chip_w"] == pytest.approx(856, abs=0.1)
    assert row["training_energy_kwh"] == 415.255
    assert row["training_hours"] == pytest.approx(415_255 / (6848.3 * 64))
    assert not runs.index.str.contains("resnet").any()  # it trains on images


def test_a_share_that_a_page_prints_is_ours_too(runs: pd.DataFrame) -> None:
    pages = runs[runs["source_id"] == "llm_foundry"]
    assert len(pages) == 15
    assert (pages["share_of_peak"] / pages["mfu_stated"]).between(0.985, 1.015).all()  # they round TFLOP/s
    row = pages.loc["MPT 3b, 8 h100_80gb, amp_fp8, 8192 tokens, batch 144"]
    assert (row["format_in_use"], row["format_basis"], row["parameters"]) == ("FP8", "stated", 2_667_566_080)
    assert row["share_of_peak"] == pytest.approx(460e12 / FP8_H100)


def test_a_page_with_footnotes_and_two_values_in_a_cell(runs: pd.DataFrame) -> None:
    pages = runs[runs["source_id"] == "megatron_bridge"]
    noted = pages.loc[
        "Megatron Bridge 26.06.01, GPT OSS 120B pre-training, 64 in DGX-GB300, MXFP8, 4096 tokens, batch 1280"
    ]
    assert noted["achieved_flops_per_chip"] == 661e12  # printed with the mark of a footnote
    assert noted["is_mixture_of_experts"]
    assert not pages["benchmark_version"].eq("25.09").any()  # 31357 (29925): which format is which is not stated
    dense = pages.loc[
        "Megatron Bridge 26.06, LLAMA3.1_405B pre-training, 256 in DGX-GB300, FP8, 8192 tokens, batch 1536"
    ]
    assert dense["share_of_peak"] == pytest.approx(2646e12 / 5e15)
    assert not dense["is_mixture_of_experts"]


def test_chips_by_quarter_and_since_the_first(records: Tables) -> None:
    stock = records["chip_stock"]
    assert stock["owner"].isna().sum() == 12
    quarter, sofar = stock.loc["Q1 2022 - A100"], stock.loc["A100 Q1 2022 to Q2 2022"]
    assert (quarter["scope"], sofar["scope"]) == ("quarter", "cumulative")
    assert quarter[["units_p5", "units", "units_p95"]].tolist() == [163_481, 212_120, 276_445]
    assert (sofar["first_date"], sofar["last_date"]) == (pd.Timestamp("2022-01-01"), pd.Timestamp("2022-06-30"))
    assert not stock.loc[["Q1 2026 - B300", "B300 Q1 2022 to Q1 2026"], "is_complete"].any()


def test_sums_of_a_designer_have_power_and_cost_with_their_intervals(records: Tables) -> None:
    stock = records["chip_stock"]
    total = stock.loc["Nvidia cumulative Q1 2022 through Q2 2026"]
    assert (total["scope"], pd.isna(total["chip"]), total["is_complete"]) == ("cumulative", True, True)
    assert total[["power_w_p5", "power_w", "power_w_p95"]].tolist() == [10_862.197e6, 12_509.756e6, 14_301.844e6]
    assert total[["cost_usd_p5", "cost_usd"]].tolist() == [347_225_095_933, 400_119_196_043]
    assert not stock.loc["Nvidia cumulative Q1 2022 through Q3 2026", "is_complete"]


def test_chips_by_owner(records: Tables) -> None:
    stock = records["chip_stock"]
    assert stock["owner"].notna().sum() == 12
    quarter, sofar = stock.loc["Meta B300 Q1 2026"], stock.loc["Microsoft cumulative Nvidia through Q4 2025"]
    assert quarter[["owner", "designer", "chip", "scope"]].tolist() == ["Meta", "Nvidia", "B300", "quarter"]
    assert sofar[["owner", "designer", "scope"]].tolist() == ["Microsoft", "Nvidia", "cumulative"]
    assert pd.isna(sofar["chip"])
    assert sofar[["h100_equivalents_p5", "h100_equivalents", "h100_equivalents_p95"]].tolist() == [
        2_424_281,
        3_151_494,
        4_075_897,
    ]
    assert sofar["power_w"] == pytest.approx(1_866.22e6)
    assert (bool(quarter["is_complete"]), bool(sofar["is_complete"])) == (False, True)
    rare = stock.loc["Other Instinct MI325X FY25 Q3"]  # 0 at the 5 % point
    assert (pd.isna(rare["units_p5"]), rare["units"]) == (True, 4_098)


def test_states_of_a_data_center(records: Tables) -> None:
    states = records["data_centers"]
    assert len(states) == 5
    first = states.loc["xAI Colossus 2 Memphis Tennessee 2025-10-19"]
    assert (first["data_center"], first["date"]) == ("xAI Colossus 2 Memphis Tennessee", pd.Timestamp("2025-10-19"))
    assert (first["buildings"], first["power_w"]) == (1, pytest.approx(276e6))
    assert (first["h100_equivalents"], first["peak_8bit_ops"]) == (pytest.approx(277_918.14), 5.5e20)
    assert (first["capital_cost_usd"], first["compute_cost_usd"]) == (
        pytest.approx(8.80737e9),
        pytest.approx(5.984036667e9),
    )
    before = states.loc["xAI Colossus 2 Memphis Tennessee 2025-02-28"]  # 0 in each column
    assert before[["buildings", "power_w", "h100_equivalents", "peak_8bit_ops", "capital_cost_usd"]].isna().all()
