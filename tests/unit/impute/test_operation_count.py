"""Operation counting on published cases, and the traps that must be refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd
import pytest
from estimation_rows import rows

from pipeline.impute.flop.formulas import CONFIDENT, LIKELY
from pipeline.impute.flop.methods.operation_count import count_operations

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
    ({"training_tokens": None, "dataset_size": 1e12, "dataset_unit": "token", "base_model": "Base"}, "needs epochs"),
]


def test_counting_abstains() -> None:
    made = each((cell for cell, _ in ABSTAINS), parameters=1e9, training_tokens=1e11)
    for (cell, reason), found in zip(ABSTAINS, made, strict=True):
        assert found.pop("reason").startswith(reason), cell
        assert pd.isna([*found.values()]).all(), cell


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


LM = {
    "domains": "Language",
    "tasks": "Language modeling/generation",
    "parameters": 24e6,
    "dataset_size": 2e6,
    "epochs": 5,
}


def test_words_become_tokens_but_not_for_a_recurrent_model() -> None:
    # a token is 0.75 words (epoch.ai/data/ai-models-documentation/estimation)
    words = counted(**(LM | {"dataset_unit": "word"}))
    assert words["value"] == pytest.approx(6 * 24e6 * 2e6 / 0.75 * 5)
    assert words["assumptions"] == "4/3 tokens per word"
    recurrent = counted(**(LM | {"dataset_unit": "word", "architecture": "RNN", "publication_date": "2016-01-01"}))
    assert recurrent["value"] == pytest.approx(6 * 24e6 * 2e6 * 5)
    assert recurrent["assumptions"] == ""


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
