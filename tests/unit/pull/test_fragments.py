"""Figures read from note columns. The wording of the notes is ours; the figures are those of the models named."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import yaml

from pipeline.pull.notes import fragments
from pipeline.pull.notes.fragments import read_fragments

PARAMETERS, COMPUTE, DATASET = "Parameters notes", "Training compute notes", "Dataset size notes"
COLUMNS = [PARAMETERS, COMPUTE, DATASET, "Training time notes", "Finetune compute notes", "Utilization notes",
           "Batch size notes", "Compute cost notes"]  # fmt: skip


def values_of(field: str, column: str, note: str, **cells: str) -> list[str]:
    return [part.value_text for part in read_fragments(column, note, cells) if part.field == field]


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("671B in all, 37B activated per token", "37B"),  # DeepSeek-V3
        ("52B total / 12B active", "12B"),  # Jamba 1.5 Mini
        ("a model with 17 billion active parameters and 109 billion in total", "17B"),  # Llama 4 Scout
        ("total parameters: 28B\nactive parameters: 3B", "3B"),  # ERNIE-4.5-28B-A3B
        ("Activated Parameters per Token: 45.9B", "45.9B"),  # MiniMax-Text-01
        ("the network activates 96.6 billion parameters", "96.6B"),  # GLaM
        ("an MoE of which 36B parameters are active", "36B"),  # DBRX
        ("570M-active decoder", "570M"),  # DeepSeek OCR
    ],
)
def test_active_parameters_come_out_as_number_and_scale(note: str, expected: str) -> None:
    assert values_of("parameters_active", PARAMETERS, note) == [expected]


def test_active_parameters_in_a_calculation() -> None:
    note = "6 FLOP / token / parameter * 3,5 * 10^9 active parameters * 6,8 * 10^12 tokens"  # Aria
    assert values_of("parameters_active", COMPUTE, note) == ["3.5e9"]


@pytest.mark.parametrize(
    "note",
    [
        "235B total, 22B active; the small variant has 30B, 3B active",  # P1-235B-A22B: two models
        "16 experts, each token activates 2 experts",
        "it activates 18.6B–31.3B parameters",  # LongCat-Flash: a range
        "rumoured to have 280B activated of 1.8T",  # GPT-4
        "32 billion active parameters (assumed)",
        "a 540-billion parameter, densely activated transformer",  # Minerva
        "3% of the parameters are active",
    ],
)
def test_doubtful_active_parameters_yield_nothing(note: str) -> None:
    assert values_of("parameters_active", PARAMETERS, note) == []


@pytest.mark.parametrize(
    ("note", "cell", "expected"),
    [
        ("52B active", "12000000000.0", []),
        ("10.2B active", "10000000000", ["10.2B"]),  # 2 % more, by rounding
        ("10.21B active", "10000000000", []),
        ("5B active", "4000000000,6000000000", ["5B"]),  # of one size of several
        ("5B active; 5.04B active", "4910000000", ["5B"]),
    ],
)
def test_more_active_parameters_than_parameters_are_refused(note: str, cell: str, expected: list[str]) -> None:
    assert values_of("parameters_active", PARAMETERS, note, parameters=cell) == expected


def test_a_hedge_counts_60_characters_before_a_figure_and_25_behind_it() -> None:
    assert values_of("parameters_active", PARAMETERS, f"maybe {'z' * 54} 5B active") == ["5B"]
    assert values_of("parameters_active", PARAMETERS, f"maybe {'z' * 53} 5B active") == []
    assert values_of("parameters_active", PARAMETERS, f"5B active {'z' * 19} maybe") == ["5B"]
    assert values_of("parameters_active", PARAMETERS, f"5B active {'z' * 18} maybe") == []


def test_a_million_is_the_least_that_is_taken_for_parameters_or_tokens() -> None:
    assert values_of("parameters_active", PARAMETERS, "1,000,000 active parameters") == ["1000000"]
    assert values_of("parameters_active", PARAMETERS, "999,999 active parameters") == []
    assert values_of("training_tokens", DATASET, "trained on 1,000,000 tokens") == ["1000000 tokens"]
    assert values_of("training_tokens", DATASET, "trained on 999,999 tokens") == []


def test_a_figure_that_does_not_fit_in_a_cell_and_what_stands_behind_20_000_characters_are_left_out() -> None:
    assert values_of("training_compute_stated", COMPUTE, f"{'9' * 75} FLOP") == [f"{'9' * 75} FLOP"]
    assert values_of("training_compute_stated", COMPUTE, f"{'9' * 76} FLOP") == []
    assert values_of("parameters_active", PARAMETERS, f"{'.' * 19_990}\n5B active") == ["5B"]
    assert values_of("parameters_active", PARAMETERS, f"{'.' * 19_991}\n5B active") == []


@pytest.mark.parametrize(
    ("note", "cell", "expected"),
    [
        ("The corpus has 300B tokens, from 4M documents.", "300000000000.0", ["tokens"]),  # GPT-3 (seen)
        ("The corpus has 300B tokens, from 4M documents.", "", []),  # two units, no cell to decide
        ("1.28 million training images", "1281167", ["images"]),  # ImageNet
        ("1.8B image-text pairs before filtering", "1800000000", ["image-text pairs"]),  # ALIGN
        ("14.8 trillion diverse and high-quality tokens", "", ["tokens"]),  # DeepSeek-V3
        ("500,000 sequences × 300 tokens per sequence", "", []),  # factors, no size
        ("batches of 2M tokens, context length of 8192 tokens", "", []),
        ("29.6M images", "7577600000", []),  # EVA-01: the cell counts patches
        ("1.56T words of dialogue", "2080000000000", []),  # LaMDA: the cell counts tokens
        ("trained for 12 hours", "", []),
        ("100 GB of text, 1 GB ~ 200M words", "", []),  # a rule for converting
        ("14,126,724 × 160 = 2,260,275,840 residues", "2260275840,2290000001", ["residues"]),  # AbLang
        ("200 images", "50", ["images"]),  # the cell may be a quarter of it, or four times as much
        ("200 images", "49", []),
        ("200 images", "800", ["images"]),
        ("200 images", "801", []),
        ("100,000 token", "", ["tokens"]),
        ("99,999 tokens", "", []),  # the length of an input
        ("300,000 words", "", ["words"]),
        ("2 images", "", ["images"]),
        ("1 image and 1 images", "", []),
        ("3× 20 images", "", []),
        ("× 20 images", "", []),
        ("20 text and images", "", []),
        ("4.9T text and image tokens", "", ["tokens"]),
    ],
)
def test_unit_of_the_dataset(note: str, cell: str, expected: list[str]) -> None:
    assert values_of("dataset_unit", DATASET, note, dataset_size=cell) == expected


def test_every_unit_is_in_the_vocabulary() -> None:
    codes = yaml.safe_load(Path("schemas/vocab/dataset_units.yml").read_text(encoding="utf-8"))["codes"]
    known = set(codes) | {alias for entry in codes.values() for alias in entry["aliases"]}
    assert {unit for unit in fragments._UNITS.split("|") if unit not in known} == set()


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("It was pre-trained on 15.5T tokens.", "15.5T tokens"),  # Kimi K2
        ("trained for 300 billion tokens", "300B tokens"),  # Gopher
        ("All sizes: we train all models for 299,892,736,000 ≈ 300B tokens", "300B tokens"),  # Pythia
        ("trained for a total of 150B tokens", "150B tokens"),  # PLATO-XL
        ("Collectively, the model saw about 1.5 trillion tokens.", "1.5T tokens"),  # FRED-T5-XL
        ("Tokens seen is about 1T: a million steps", "1T tokens"),  # T5-11B
        ("5.4B tokens seen", "5.4B tokens"),  # AlphaMissense
    ],
)
def test_tokens_seen(note: str, expected: str) -> None:
    assert values_of("training_tokens", DATASET, note) == [expected]


@pytest.mark.parametrize(
    "note",
    [
        "The corpus contains 180B tokens.",  # OPT
        "trained on a dataset of 30 billion tokens",  # Phi-1.5
        "trained on a corpus with 2T tokens",
        "trained on 300B tokens for 3 epochs",  # ruGPT-3.5
        "trained with 256K tokens per batch",  # LaMDA
        "train for 12,000 steps with a batch of 4 million tokens",  # Llemma
        "the 2B and the 7B are trained on 2T and 6T tokens respectively",  # Gemma
        "pre-trained on 8T tokens, then trained on 1T tokens more",
        "if trained on 13T tokens",
        "It builds on V3, which was trained on 14.8T tokens.",  # DeepSeek-V3.1
        "trained on a total of 1.4T tokens; the sister model was trained on 9.3T tokens",
        "300 × 10^6 examples",
    ],
)
def test_what_is_not_seen_in_training_yields_no_tokens(note: str) -> None:
    assert values_of("training_tokens", DATASET, note) == []


def test_tokens_of_gopher_do_not_come_from_its_cell() -> None:
    # Gopher 7.1B: the cell says 3e8, the paper (arXiv:2112.11446) 300 billion for all sizes
    note = "All sizes: we train all models for 300 billion tokens with a 2048 token context window."
    assert values_of("training_tokens", DATASET, note, dataset_size="300000000") == ["300B tokens"]


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("6 * 37B * 14.8T = 3.3e24", "3.3e24 FLOP"),  # DeepSeek-V3
        ("Meta reports 3.8 × 10^25 FLOPs.", "3.8e25 FLOP"),  # Llama 3.1-405B, arXiv:2407.21783
        ("3640 pfs-days in table D.1", "3640 pfs-days"),  # GPT-3
        ("6.31E+08 train PFLOPs", "6.31e23 FLOP"),  # Gopher, table A26
        ("1.25e24 (base model) + 7.04e21 (fine-tuning) = 1.257e24 FLOP", "1.257e24 FLOP"),  # EXAONE Deep 32B
        ("6 * 70e9 * 15e12 = 6.3e24 FLOP\nwe note 6.3e24 FLOP", "6.3e24 FLOP"),
        ("6 * 7 = 6.3e24 FLOP\n6 * 7 = 6.30e24 FLOP", "6.30e24 FLOP"),  # the last result
        ("2 peta-FLOP", "2e15 FLOP"),
        ("2 exaFLOPs", "2e18 FLOP"),
        ("5 zettaFLOP", "5e21 FLOP"),
        ("3 yottaFLOP", "3e24 FLOP"),
        ("1e9 FLOP", "1e9 FLOP"),
        ("5 * 2 = 1e15", "1e15 FLOP"),  # so much can be nothing but FLOP
        ("5 * 2 = 9e14 FLOP", "9e14 FLOP"),
        (f"6 * 5 = {'1' * 30} FLOP", f"{'1' * 30} FLOP"),
    ],
)
def test_stated_compute(note: str, expected: str) -> None:
    assert values_of("training_compute_stated", COMPUTE, note) == [expected]


@pytest.mark.parametrize(
    "note",
    [
        "The chips do 3.12e14 FLOP/s at peak.",
        "A forward pass takes 1.98e12 FLOP.",
        "The V100 has a peak of 1.25e14 FLOPS.",
        "one paper has 1e23 FLOP, another 5e23 FLOP",
        "6 * 1.8e6 * 1.4e7 = 1.55e14 FLOP per epoch",  # HLBL
        "unlikely to exceed 1e25 FLOP",
        "They could afford, e.g. a 1e25 FLOP run.",  # Kling
        "4e22 FLOP / (1.2e14 * 3600) = 0.27 hours",
        "PaLM took 2.5e24 FLOP; this one <= 2.5e24",  # Inflection-1
        "999999999 FLOP",
        "5 * 2 = 9e14",
        f"6 * 5 = {'1' * 31} FLOP",
        "6 * 1e9 * 1e14 = 6e23 FLOP, and 1e23 FLOP",
        "1e23 FLOP in the first stage",
        "1e23 FLOP, over 1e23 FLOP",
        "1e25 FLOP on 1e17 words",
    ],
)
def test_other_flop_figures_are_not_taken_for_the_total(note: str) -> None:
    assert values_of("training_compute_stated", COMPUTE, note) == []


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("Almost certainly >1e25", ["> 1e25 FLOP"]),  # GPT-5.1
        ("At least 1.152e+24 FLOP", ["> 1.152e24 FLOP"]),  # Mistral Small 3.1
        ("Must be below 10^23 FLOP: a single A100.", ["< 1e23 FLOP"]),  # LTM-1
        ("less than 0.006 pfs-days", ["< 0.006 pfs-days"]),  # GANs
        ("A → 3e24 FLOP, B -> 5e24 FLOP", []),
        ("Unlikely to be > 1e25 FLOP", []),  # ERNIE 4.0
        ("maybe over 1e23 FLOP", []),
        ("over 1e15 FLOP/s", []),
        (">1e15", ["> 1e15 FLOP"]),
        (">9.9e14", []),  # of what?
        (">9.9e14 FLOP", ["> 9.9e14 FLOP"]),
    ],
)
def test_bounds(note: str, expected: list[str]) -> None:
    assert values_of("training_compute_bound", COMPUTE, note) == expected


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("C = 6ND", ["6ND"]),
        ("6 FLOP / parameter / token * 7e9 * 1e12", ["6ND"]),
        ("70B * 2 passes\n6 * 70B * 15T", ["6ND"]),
        ("1e14 FLOP/s * 512 chips * 3600 * 24 * 0.3", ["chips × time × FLOP/s"]),
        ("1e14 FLOP/s * 512 days at 30%", []),  # of how many chips?
        ("6ND cannot be used for this network", []),
        ("reported in table 4", []),
    ],
)
def test_method_is_named_where_its_formula_is_visible(note: str, expected: list[str]) -> None:
    assert values_of("training_compute_method", COMPUTE, note) == expected


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("a sparse mixture-of-experts (MoE) model", ["MoE"]),
        ("dense decoder-only model", ["dense"]),
        ("an encoder-decoder with 11 billion", ["encoder-decoder"]),
        ("three convolutional layers, then an LSTM", ["CNN", "RNN"]),
        ("not an MoE", []),
        ("fine-tuned on CNN/DailyMail with Faster R-CNN features", []),
        ("as good as a similar dense model", []),
    ],
)
def test_architecture_words(note: str, expected: list[str]) -> None:
    assert values_of("architecture", PARAMETERS, note) == expected


def test_arithmetic_is_read_from_notes_on_compute_only() -> None:
    note = "6 * 7e9 * 1e12 = 4.2e22"
    assert values_of("arithmetic", COMPUTE, note) == [note]
    assert values_of("arithmetic", "Finetune compute notes", note) == [note]
    assert values_of("arithmetic", DATASET, note) == []


def test_result_is_sorted_unique_short_and_blind_to_unknown_columns() -> None:
    note = "37B activated. Again: 37B activated. An MoE, a mixture of experts."
    found = read_fragments(PARAMETERS, note)
    assert found == sorted(set(found))
    assert all(len(part.value_text) <= 80 for part in found)
    assert read_fragments("Abstract", note) == []


@pytest.mark.parametrize(("length", "seconds"), [(5_000, 1)])
@pytest.mark.parametrize("piece", ["1 ", "12", "7B ", "1e9 tokens ", "= 1e24 ", "trained on ", "3 a ", ". ", "a b c "])
def test_long_garbage_takes_no_time(piece: str, length: int, seconds: int) -> None:
    note = (piece * length)[:length]
    start = time.process_time()
    for column in COLUMNS:
        read_fragments(column, note, {"dataset_size": "1e9"})
    assert time.process_time() - start < seconds  # a pattern that goes back over its text takes minutes
