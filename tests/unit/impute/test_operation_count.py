"""Operation counting on published cases, and the traps that must be refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd
import pytest
from estimation_rows import rows

from pipeline.impute.flop.formulas import CONFIDENT, LIKELY
from pipeline.impute.flop.methods.operation_count import HALVED, count_operations

Cell = dict[str, Any]


def counted(**cell: Any) -> pd.Series:
    return count_operations(rows(cell)).iloc[0]


def each(cells: Iterable[Cell], **usual: Any) -> list[Cell]:
    """The results for rows of these cells beside the usual ones."""
    return count_operations(rows(*(usual | cell for cell in cells))).to_dict("records")


# Brown et al. 2020 (arXiv:2005.14165), table D.1: parameters, and total FLOP at 300e9 tokens
GPT3: list[tuple[float, float]] = [
    (125, 2.25e20),
    (356, 6.41e20),
    (760, 1.37e21),
    (1_320, 2.38e21),
    (2_650, 4.77e21),
    (6_660, 1.20e22),
    (12_850, 2.31e22),
    (174_600, 3.14e23),
]


def test_the_eight_sizes_of_gpt3() -> None:
    made = each(
        ({"parameters": million * 1e6} for million, _ in GPT3), training_tokens=300e9, publication_date="2020-05-28"
    )
    assert [found["value"] for found in made] == pytest.approx([flop for _, flop in GPT3], rel=0.02)
    assert {found["fields"] for found in made} == {"parameters;training_tokens"}


def test_llama_3_405b() -> None:
    # arXiv:2407.21783, section 3.2.1: 3.8e25 FLOP for 405B parameters on 15.6T tokens
    made = counted(name="Llama 3.1-405B", parameters=405e9, training_tokens=15.6e12)
    assert made["value"] == pytest.approx(3.8e25, rel=0.05)
    assert made["formula"] == "6 × 4.05e+11 parameters × 1.56e+13 tokens"


def test_a_mixture_of_experts_counts_active_parameters() -> None:
    # DeepSeek-V3 (arXiv:2412.19437): 671B parameters of which 37B active, 14.8T tokens; Epoch AI has 3.3e24 to 3.4e24
    moe = {"architecture": "MoE", "parameters": 671e9, "training_tokens": 14.8e12}
    made = counted(**moe, parameters_active=37e9)
    assert made["value"] == pytest.approx(3.3e24, rel=0.1)
    assert made["fields"] == "parameters_active;training_tokens"
    assert made["formula"] == "6 × 3.7e+10 parameters × 1.48e+13 tokens"
    refused = counted(**moe)
    assert pd.isna(refused["value"])
    assert refused["reason"].startswith("needs active parameters")


def test_an_encoder_decoder_takes_half() -> None:
    # arXiv:2005.14165, table D.1: T5-11B 3.30e22 FLOP at 1,000e9 tokens
    made = counted(architecture="encoder-decoder", parameters=11e9, training_tokens=1e12, publication_date="2019-10-23")
    assert made["value"] == pytest.approx(3.3e22, rel=0.01)
    assert "half of the parameters" in made["assumptions"]
    dense = counted(parameters=11e9, training_tokens=1e12)
    assert (made["high"] / made["value"], dense["high"] / dense["value"]) == pytest.approx(
        (LIKELY, CONFIDENT), rel=0.01
    )


@pytest.mark.parametrize("architecture", ["encoder-decoder;whole-text", "whole-text"])
def test_a_decoder_that_writes_the_whole_text_again_takes_the_other_half(architecture: str) -> None:
    # BART (arXiv:1910.13461, sections 2 and 5.1): 500,000 steps of 8,000 texts, read with noise and written out whole;
    # RoBERTa of that size and schedule, an encoder alone: 6 × 355e6 × 2.048e12 = 4.4e21
    made = counted(architecture=architecture, parameters=406e6, training_tokens=2.048e12)
    assert made["value"] == pytest.approx(6 * 406e6 * 2.048e12)


ABSTAINS: list[tuple[Cell, str]] = [
    ({"domains": "Vision", "training_tokens": None}, "needs a language model"),
    ({"architecture": "CNN"}, "needs a dense transformer"),
    ({"architecture": "lookup"}, "needs parameters that a token passes through"),
    ({"architecture": "MoE;RNN"}, "needs dense layers"),
    ({"architecture": "shared-layers"}, "needs parameters that are used once"),  # as in ALBERT, arXiv:1909.11942
    ({"name": "GloVe (6B)", "publication_date": "2014-01-01"}, "needs a transformer or recurrent"),
    ({"architecture": "MoE"}, "needs active parameters"),
    ({"parameters": None}, "needs parameters"),
    ({"training_tokens": None}, "needs tokens seen or the dataset"),
    ({"training_tokens": 3e8, "parameters": 7.1e9}, "needs a second look"),  # Gopher 7.1B upstream
    ({"training_tokens": None, "dataset_size": 1e9, "dataset_unit": "image"}, "needs the dataset in tokens"),
    ({"training_tokens": None, "dataset_size": 1e9, "dataset_unit": "token"}, "needs epochs"),
    # GPT-3 upstream: 238e9 tokens, 0.6 epochs; 300e9 were seen
    ({"training_tokens": None, "dataset_size": 238e9, "dataset_unit": "token", "epochs": 0.6}, "needs tokens seen"),
    # a dataset of pre-training size beside a base model is the base's
    (
        {"training_tokens": None, "dataset_size": 1e12, "dataset_unit": "token", "base_model": "Base"},
        "needs epochs",
    ),
]


def test_counting_abstains() -> None:
    made = each((cell for cell, _ in ABSTAINS), parameters=1e9, training_tokens=1e11)
    for (cell, reason), found in zip(ABSTAINS, made, strict=True):
        assert found.pop("reason").startswith(reason), cell
        assert pd.isna([*found.values()]).all(), cell


@pytest.mark.parametrize(("tokens", "is_counted"), [(1e9, True), (2e8, True), (1.9e8, False)])
def test_a_language_model_sees_at_least_a_fifth_as_many_tokens_as_it_has_parameters(
    tokens: float, is_counted: bool
) -> None:
    assert (counted(parameters=1e9, training_tokens=tokens)["reason"] == "") is is_counted


LARGE: list[tuple[Cell, bool]] = [
    ({}, False),
    ({"parameters": 1.5e11}, False),
    ({"parameters": 1.5e11 - 1}, True),
    ({"publication_date": "2024-12-31"}, True),
    ({"architecture": "dense"}, True),
    ({"base_model": "Base"}, True),
    ({"parameters_active": 2e10}, True),
]


def test_a_large_model_of_today_is_a_mixture_of_experts_unless_something_else_is_known() -> None:
    made = each((cell for cell, _ in LARGE), parameters=1.6e11, training_tokens=1e13, publication_date="2025-01-01")
    refused = "needs active parameters: a mixture of experts"
    for (cell, is_counted), found in zip(LARGE, made, strict=True):
        assert found["reason"] == ("" if is_counted else refused), cell


def test_one_epoch_is_an_assumption_and_widens_the_interval() -> None:
    dataset = {"parameters": 1e9, "dataset_size": 2e11, "dataset_unit": "token"}
    stated, assumed = counted(**dataset, epochs=1), counted(**dataset)
    assert stated["value"] == assumed["value"] == 1.2e21
    assert (stated["assumptions"], assumed["assumptions"]) == ("", "one epoch")
    assert assumed["high"] > stated["high"]


LM = {
    "domains": "Language",
    "tasks": "Language modeling/generation",
    "parameters": 24e6,
    "dataset_size": 2e6,
    "epochs": 5,
}


def test_the_unit_of_a_language_models_dataset_may_be_guessed() -> None:
    # WikiText-2 has 2e6 words (arXiv:1609.07843)
    made = counted(**LM)
    assert made["value"] == pytest.approx(6 * 24e6 * 2e6 * 5)
    assert made["assumptions"] == "the dataset is counted in tokens"
    assert made["high"] / made["value"] == pytest.approx(10)
    for other in ({"tasks": "Translation"}, {"domains": "Language;Vision"}, {"epochs": None}, {"tasks": None}):
        assert counted(**(LM | other))["reason"].startswith("needs the dataset in tokens"), other


@pytest.mark.parametrize(
    ("cell", "fields"),
    [
        (
            {"training_tokens": 1e11, "dataset_size": 1e11, "dataset_unit": "token", "epochs": 1},
            "parameters;training_tokens",
        ),
        ({"dataset_size": 2e11, "dataset_unit": "token", "epochs": 2}, "parameters;dataset_size;dataset_unit;epochs"),
        ({"dataset_size": 2e11, "dataset_unit": "token"}, "parameters;dataset_size;dataset_unit"),
        ({"tasks": "Language modeling", "dataset_size": 2e9, "epochs": 1}, "parameters;dataset_size;epochs"),
    ],
)
def test_the_fields_of_a_count_are_those_that_went_in(cell: dict[str, Any], fields: str) -> None:
    assert counted(**({"parameters": 1e9} | cell))["fields"] == fields


def test_words_become_tokens_but_not_for_a_recurrent_model() -> None:
    # a token is 0.75 words (epoch.ai/data/ai-models-documentation/estimation)
    words = counted(**(LM | {"dataset_unit": "word"}))
    assert words["value"] == pytest.approx(6 * 24e6 * 2e6 / 0.75 * 5)
    assert words["assumptions"] == "4/3 tokens per word"
    recurrent = counted(**(LM | {"dataset_unit": "word", "architecture": "RNN", "publication_date": "2016-01-01"}))
    assert recurrent["value"] == pytest.approx(6 * 24e6 * 2e6 * 5)
    assert recurrent["assumptions"] == ""


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ({"dataset_unit": "amino_acid"}, ""),
        ({"training_tokens": 1e12}, ""),
        ({"architecture": "residue-pairs", "training_tokens": 1e12}, "needs a language model"),  # pairs cost more
        ({"dataset_unit": "protein"}, "needs a language model"),
    ],
)
def test_sequences_of_biology_count_where_they_are_in_tokens(cell: dict[str, Any], reason: str) -> None:
    usual = {"domains": "Biology", "parameters": 650e6, "dataset_size": 1e11, "epochs": 3}
    made = counted(**(usual | cell))
    assert made["reason"].startswith(reason)
    assert bool(pd.isna(made["value"])) == bool(reason)


def test_a_stated_training_factor_takes_the_place_of_three() -> None:
    # a student of 66e6 parameters and a teacher of 110e6 that reads every token; LoRA: no gradients of the weights
    tokens = {"parameters": 66e6, "training_tokens": 1e11}
    assert counted(**tokens, training_factor=3 + 110 / 66)["value"] == pytest.approx((6 * 66e6 + 2 * 110e6) * 1e11)
    frozen = counted(**tokens, training_factor=2)
    assert (frozen["value"], frozen["formula"]) == (4 * 66e6 * 1e11, "4 × 6.6e+07 parameters × 1e+11 tokens")
    assert "training_factor" in frozen["fields"].split(";")
    halves = counted(**tokens, training_factor=2, architecture="encoder-decoder")
    assert halves["value"] == pytest.approx(2 * 66e6 * 1e11)


def reason(**cell: Any) -> str:
    return str(counted(**cell)["reason"])


PASSES: list[tuple[Cell, str]] = [
    ({}, ""),  # 1e11 tokens: what language models since GPT-3 pass over once
    ({"dataset_size": 1e11 - 1}, "needs epochs"),
    ({"publication_date": "2020-05-28"}, ""),  # GPT-3 (arXiv:2005.14165)
    ({"publication_date": "2020-05-27"}, "needs epochs"),
    ({"publication_date": "2017-06-12", "epochs": 1}, ""),  # the transformer (arXiv:1706.03762)
    ({"publication_date": "2017-06-11", "epochs": 1}, "needs a transformer or recurrent model"),
    ({"publication_date": None, "epochs": 1}, "needs a transformer or recurrent model"),
    ({"publication_date": "2017-06-11", "epochs": 1, "architecture": "RNN"}, ""),
    ({"epochs": 0.9}, "needs tokens seen: part of an epoch"),
    ({"epochs": 0.9, "dataset_size": None}, "needs tokens seen or the dataset's size"),
]


def test_one_pass_is_assumed_since_gpt3_and_transformers_since_they_exist() -> None:
    dataset = {"parameters": 1e8, "dataset_size": 1e11, "dataset_unit": "token"}
    for (cell, why), found in zip(PASSES, each((cell for cell, _ in PASSES), **dataset), strict=True):
        assert found["reason"].startswith(why), cell
        assert bool(found["reason"]) == bool(why), cell


BESIDE: list[Cell] = [
    {"epochs": 0.6},
    {"dataset_size": 1e9, "dataset_unit": "image"},
    {"dataset_size": 1e9, "dataset_unit": "word", "epochs": 3},
    {"dataset_size": 1e12, "dataset_unit": "token"},
    {"dataset_size": 1e9, "tasks": "Language modeling", "epochs": 3},
]


def test_what_is_known_of_the_dataset_does_not_matter_beside_tokens_seen() -> None:
    for cell, made in zip(BESIDE, each(BESIDE, parameters=1e9, training_tokens=1e11), strict=True):
        assert made["value"] == 6 * 1e9 * 1e11, cell
        assert (made["fields"], made["assumptions"]) == ("parameters;training_tokens", ""), cell
        assert made["high"] / made["value"] == pytest.approx(CONFIDENT, rel=0.01), cell


@pytest.mark.parametrize(
    ("cell", "factor", "assumptions", "fields"),
    [
        ({}, 8, "recomputed activations counted", ";flop_convention"),  # arXiv:2104.04473, section 5.1
        ({"architecture": "encoder-decoder"}, 3, HALVED, ""),
        ({"training_factor": 2}, 4, "", ";training_factor"),
        ({"training_factor": 2, "architecture": "encoder-decoder"}, 2, HALVED, ";training_factor"),
    ],
)
def test_recomputation_is_not_counted_where_the_factor_is_another(
    cell: dict[str, Any], factor: int, assumptions: str, fields: str
) -> None:
    made = counted(parameters=1e9, training_tokens=1e11, flop_convention="8ND", **cell)
    assert made["value"] == pytest.approx(factor * 1e9 * 1e11)
    assert (made["assumptions"], made["fields"]) == (assumptions, "parameters;training_tokens" + fields)


OTHERS: list[tuple[Cell, str]] = [
    ({"domains": "Vision", "dataset_unit": "token"}, "needs a language model"),
    ({"domains": None, "dataset_unit": "token"}, "needs a language model"),
    ({"domains": "Biology", "dataset_unit": "nucleotide"}, ""),
    ({"domains": "Biology", "dataset_unit": "token"}, ""),
    ({"domains": "Biology"}, "needs a language model"),
    ({"domains": "Language;Biology", "architecture": "residue-pairs", "dataset_unit": "token"}, ""),
    ({"tasks": "Language modeling", "dataset_unit": "image"}, "needs the dataset in tokens"),
    ({"domains": "Vision", "training_tokens": 6e9}, ""),
]


def test_what_is_no_language_model_counts_with_sequences_or_tokens_seen() -> None:
    made = each((cell for cell, _ in OTHERS), parameters=1e9, dataset_size=2e9, epochs=3)
    for (cell, why), found in zip(OTHERS, made, strict=True):
        assert found["reason"].startswith(why), cell
        assert bool(found["reason"]) == bool(why), cell


def test_a_fine_tune_may_see_few_tokens() -> None:
    # LIMA (arXiv:2305.11206, section 2 and 3): 750,000 tokens, 15 epochs, 65e9 parameters
    lima = {"parameters": 65e9, "training_tokens": 15 * 750e3}
    assert reason(**lima, base_model="LLaMA") == ""
    assert reason(**lima).startswith("needs a second look")


def test_residues_are_tokens_and_a_recurrent_mixture_is_refused() -> None:
    made = counted(domains="Biology", dataset_unit="nucleotide", parameters=1e9, dataset_size=2e9, epochs=3)
    assert made["value"] == 6 * 1e9 * 2e9 * 3
    old = {"parameters": 1e9, "training_tokens": 1e11, "publication_date": "2016-01-01"}
    assert reason(**old, architecture="RNN") == ""
    assert reason(**old, architecture="RNN;MoE").startswith("needs dense layers")
    assert reason(**old, architecture="MoE").startswith("needs a transformer or recurrent model")
