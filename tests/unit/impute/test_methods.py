"""The methods on published cases, and the traps that must be refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from estimation_rows import A100, rows

from pipeline.impute.choose import noted_bounds
from pipeline.impute.methods import base_model, capability_index, hardware, operation_count, statistical
from pipeline.impute.methods.base_model import ALONE, counted_once, resolve
from pipeline.impute.results import CONFIDENT, FIELD, HAS_BASE, LIKELY

Cell = dict[str, Any]
# Brown et al. 2020 (arXiv:2005.14165), table D.1: parameters in millions, and total FLOP at 300e9 tokens
GPT3 = [(125, 2.25e20), (356, 6.41e20), (760, 1.37e21), (1_320, 2.38e21), (2_650, 4.77e21), (6_660, 1.20e22),
        (12_850, 2.31e22), (174_600, 3.14e23)]  # fmt: skip
V100 = {  # NVIDIA's data sheet of the SXM2 board: 125 TFLOP/s with tensor cores, 15.7 in FP32
    "peak_tensor_fp16_flops": 1.25e14,
    "peak_fp16_flops": 3.13e13,
    "peak_fp32_flops": 1.57e13,
    "hardware_type": "GPU",
}


def counted(**cell: Any) -> pd.Series:
    return operation_count.estimate(rows(cell)).iloc[0]


def test_the_eight_sizes_of_gpt3() -> None:
    usual = {"training_tokens": 300e9, "publication_date": "2020-05-28"}
    made = operation_count.estimate(rows(*({"parameters": million * 1e6} | usual for million, _ in GPT3)))
    assert made["value"].tolist() == pytest.approx([flop for _, flop in GPT3], rel=0.02)
    assert set(made["fields"]) == {"parameters;training_tokens"}


T5 = {"architecture": "encoder-decoder", "parameters": 11e9, "training_tokens": 1e12, "publication_date": "2019-10-23"}
LM = {"tasks": "Language modeling", "parameters": 24e6, "dataset_size": 2e6, "epochs": 5, "dataset_unit": "word"}
COUNTED: list[tuple[Cell, float, str]] = [
    # DeepSeek-V3 (arXiv:2412.19437): 671B parameters of which 37B active, 14.8T tokens; Epoch AI has 3.3e24 to 3.4e24
    ({"architecture": "MoE", "parameters": 671e9, "training_tokens": 14.8e12, "parameters_active": 37e9}, 3.3e24, ""),
    # arXiv:2005.14165, table D.1: T5-11B 3.30e22 FLOP at 1,000e9 tokens
    (T5, 3.3e22, "half of the parameters see a token"),
    (T5 | {"architecture": "encoder-decoder;whole-text"}, 6.6e22, ""),  # BART writes the whole text again
    # a token is 0.75 words (epoch.ai/data/ai-models-documentation/estimation), but not of a recurrent model
    (LM, 6 * 24e6 * 2e6 / 0.75 * 5, "4/3 tokens per word"),
    (LM | {"architecture": "RNN", "publication_date": "2016-01-01"}, 6 * 24e6 * 2e6 * 5, ""),
    (LM | {"dataset_unit": None}, 6 * 24e6 * 2e6 * 5, "the dataset is counted in tokens"),
    ({"parameters": 1e8, "dataset_size": 1e11, "dataset_unit": "token"}, 6e19, "one epoch"),
    ({"parameters": 1e9, "training_tokens": 1e11, "flop_convention": "8ND"}, 8e20, "recomputed activations counted"),
    ({"parameters": 1e9, "training_tokens": 1e11, "training_factor": 2}, 4e20, ""),  # LoRA
    ({"domains": "Biology", "dataset_unit": "nucleotide", "parameters": 1e9, "dataset_size": 1e9, "epochs": 2}, 1.2e19,
     ""),
    # Cognitron: 3 layers of 288 cells with 25 inputs each, 5 patterns × 20 rounds, no backward pass
    ({"domains": "Other", "forward_flop": 43200, "training_examples": 100, "training_factor": 1}, 4.32e6,
     "counted from a forward pass"),
    ({"forward_flop": 7.74e9, "training_examples": 1e8, "recalled": "epochs"}, 3 * 7.74e17,
     "counted from a forward pass"),  # which it does not rest on
    ({"forward_flop": 7.74e9, "training_examples": 1e8, "recalled": "training_examples"}, 3 * 7.74e17,
     "counted from a forward pass, partly recalled"),
]  # fmt: skip


@pytest.mark.parametrize(("cells", "flop", "assumed"), COUNTED)
def test_operations_are_counted(cells: Cell, flop: float, assumed: str) -> None:
    made = counted(**cells)
    assert made["value"] == pytest.approx(flop, rel=0.1 if "MoE" in str(cells) else 0.01)
    assert made["assumptions"] == assumed
    factor = {"half": LIKELY, "one ": LIKELY, "4/3 ": LIKELY, "the ": LIKELY}.get(assumed[:4], CONFIDENT)
    assert made["high"] / made["value"] == pytest.approx(factor, rel=0.01)


PRE = {"training_tokens": None, "dataset_size": 1e11, "dataset_unit": "token"}
NOT_COUNTED: list[tuple[Cell, str]] = [
    ({"domains": "Vision", "training_tokens": None}, "needs a language model"),
    ({"domains": "Biology", **PRE, "dataset_unit": None}, "needs a language model"),
    ({"architecture": "CNN"}, "needs a dense transformer"),
    ({"architecture": "lookup"}, "needs parameters that a token passes through"),
    ({"architecture": "MoE;RNN"}, "needs dense layers"),
    ({"architecture": "shared-layers"}, "needs parameters that are used once"),  # as in ALBERT, arXiv:1909.11942
    ({"name": "GloVe (6B)", "publication_date": "2014-01-01"}, "needs a transformer or recurrent"),
    ({"publication_date": "2017-06-11"}, "needs a transformer or recurrent model"),
    ({"publication_date": "2017-06-12"}, ""),  # the transformer (arXiv:1706.03762)
    ({"architecture": "MoE"}, "needs active parameters"),
    # a large model of today is a mixture of experts unless something else is known
    ({"parameters": 1.5e11, "training_tokens": 1e13, "publication_date": "2025-01-01"}, "needs active parameters"),
    ({"parameters": 1.5e11, "training_tokens": 1e13, "publication_date": "2024-12-31"}, ""),
    ({"parameters": 1.5e11, "training_tokens": 1e13, "publication_date": "2025-01-01", "architecture": "dense"}, ""),
    ({"parameters": None}, "needs parameters"),
    ({"training_tokens": None}, "needs tokens seen or the dataset"),
    ({"training_tokens": 3e8, "parameters": 7.1e9}, "needs a second look"),  # Gopher 7.1B upstream
    (PRE | {"dataset_unit": "image"}, "needs the dataset in tokens"),
    (PRE | {"dataset_size": 1e11 - 1}, "needs epochs"),  # one pass is the custom from 1e11 tokens on, since GPT-3
    (PRE | {"publication_date": "2020-05-27"}, "needs epochs"),
    (PRE | {"publication_date": "2020-05-28"}, ""),
    # GPT-3 upstream: 238e9 tokens, 0.6 epochs; 300e9 were seen
    (PRE | {"epochs": 0.6}, "needs tokens seen"),
    # a dataset of pre-training size beside a base model is the base's
    (PRE | {"base_model": "Base"}, "needs epochs"),
]


@pytest.mark.parametrize(("cells", "reason"), NOT_COUNTED)
def test_counting_abstains(cells: Cell, reason: str) -> None:
    found = counted(**{"parameters": 1e9, "training_tokens": 1e11} | cells)
    assert found["reason"].startswith(reason)
    assert bool(found["reason"]) == bool(reason) == bool(pd.isna(found["value"]))


PEAKS: list[tuple[Cell, str | None, float]] = [
    (A100, "BF16", 3.12e14),
    (A100, "TF32", 1.56e14),
    (A100, "FP32", 1.95e13),
    (A100, None, 3.12e14),
    (A100, "FP8", 3.12e14),  # which an A100 does not have
    (A100 | {"peak_fp8_flops": 6e14}, "FP8", 6e14),
    (V100, "FP16", 1.25e14),
    ({"peak_fp16_flops": 1.8e11, "peak_fp32_flops": 1.2e13}, "FP16", 1.2e13),  # P40: FP16 slower than FP32
    ({"peak_fp16_flops": 1.8e13, "peak_fp32_flops": 9e12}, None, 9e12),
    ({"peak_fp16_flops": 1.8e13, "peak_fp32_flops": 9e12, "hardware_type": "TPU"}, None, 1.8e13),
    # TPU v2: one BF16 pass; 3e12 is the vector unit
    ({"peak_tensor_fp16_flops": 4.6e13, "peak_fp32_flops": 3e12, "hardware_type": "TPU"}, "FP32", 4.6e13),
]


def test_peak_rate_by_number_format() -> None:
    run = {"hardware_quantity": 10, "training_hours": 100}
    made = hardware.estimate(rows(*(run | chip | {"numerical_format": named} for chip, named, _ in PEAKS)))
    for (chip, named, peak), found in zip(PEAKS, made.to_dict("records"), strict=True):
        assert found["value"] == pytest.approx(10 * 100 * 3600 * peak * 0.30), (chip, named)
        assert ("usual number format" in found["assumptions"]) == (named is None), (chip, named)


ABSTAINS: list[tuple[Cell, str]] = [
    ({"chips": 0, "chips_known": 0}, "needs the kind of chip"),
    ({"chips_known": 0}, "needs a chip of the hardware table"),
    ({"chips": 2, "chips_known": 2}, "needs chips per type"),
    ({"chips": 2, "chips_known": 2, "rates_apart": 4.0}, "needs chips per type"),
    ({"training_hours": None}, "needs chip-hours"),
    ({"peak_tensor_fp16_flops": None, "peak_fp32_flops": None}, "needs the chip's peak rate"),
    ({"hardware_utilization": 1.2}, "needs a utilisation"),
    ({"training_hours": 30_000}, "needs a second look"),
    ({"chip_hours": 4000}, "differs: chip-hours"),  # 10 chips × 100 h
    ({"chip_hours": 250}, "differs: chip-hours"),
    ({**V100, "peak_tf32_flops": None, "numerical_format": None}, "needs the number format"),
]


def test_hardware_abstains() -> None:
    usual = {**A100, "numerical_format": "BF16", "hardware_quantity": 10, "training_hours": 100}
    made = hardware.estimate(rows(*(usual | cell for cell, _ in ABSTAINS)))
    for (cell, reason), found in zip(ABSTAINS, made.to_dict("records"), strict=True):
        assert found.pop("reason").startswith(reason), cell
        assert pd.isna([*found.values()]).all(), cell


def test_a_note_gives_a_bound() -> None:
    made = noted_bounds(rows({"noted_low": 1e25}, {"noted_high": 1e23}, {}))
    assert made["value"].isna().all()
    assert made["low"].tolist() == pytest.approx([1e25, np.nan, np.nan], nan_ok=True)
    assert made["high"].tolist() == pytest.approx([np.nan, 1e23, np.nan], nan_ok=True)


# --- Base plus fine-tune


def tuned(links: dict[str, str], known: dict[str, float], unsure: float = 0.3, **own: Cell) -> pd.DataFrame:
    ids = sorted({*links, *known, *own})
    edges = pd.DataFrame(
        [(m, b or None) for m, text in links.items() for b in text.split(";")], columns=["model_id", "base_id"]
    )
    table = rows(*({"model_id": m, "base_model": links.get(m)} | own.get(m, {}) for m in ids))
    flop = pd.Series(known, dtype="float64")
    further = [operation_count.estimate(table), hardware.estimate(table)]
    edges = counted_once(edges.astype("str"), {"may": "march"})
    made = base_model.estimate(table, edges, flop, flop * 0 + unsure, further)
    return made.set_index(table["model_id"])


def tune(flop: float) -> Cell:
    return {"finetune_compute_flop": flop}


def test_bases_add_up_along_a_chain_and_side_by_side() -> None:
    links = {"third": "second", "second": "first", "both": "first;eye"}
    made = tuned(links, {"first": 1e22, "eye": 2e21}, second=tune(1e20), third=tune(1e19), both=tune(1e20))
    assert made.loc["third", "value"] == pytest.approx(1e22 + 1e20 + 1e19)
    assert made.loc["both", "value"] == pytest.approx(1.2e22 + 1e20)
    assert made.loc["both", "formula"] == "1e+22 (first) + 2e+21 (eye) + 1e+20 for the further training"
    assert made.loc["first", "reason"] == "needs a base model"


SHARED: list[tuple[str, float, str]] = [  # bases, their compute together, how the formula says it
    ("chat;first", 1.1e22, "1.1e+22 (chat)"),  # the one is built on the other
    ("chat;code", 1.3e22, "1.1e+22 (chat) + 1.2e+22 (code) − 1e+22 (first)"),  # both on a third
    ("both;code", 1.5e22, "1.2e+22 (code) + 1.3e+22 (both) − 1e+22 (first)"),  # … the one through another base
    ("march;may", 3e22, "3e+22 (may)"),  # names of one run
    ("chat;eye", 1.3e22, "1.1e+22 (chat) + 2e+21 (eye)"),
]


@pytest.mark.parametrize(("bases", "flop", "formula"), SHARED)
def test_a_run_that_two_bases_share_counts_once(bases: str, flop: float, formula: str) -> None:
    links = {"chat": "first", "code": "first", "both": "chat;eye", "merged": bases}
    known = {"first": 1e22, "eye": 2e21, "chat": 1.1e22, "code": 1.2e22, "both": 1.3e22, "march": 3e22, "may": 3e22}
    made = tuned(links, known, merged=tune(1e20)).loc["merged"]
    assert made["value"] == pytest.approx(flop + 1e20)
    parts = made["formula"].removesuffix(" + 1e+20 for the further training")
    assert sorted(parts.split()) == sorted(formula.split())


def test_bases_that_share_a_run_give_the_larger_ones_bound() -> None:
    links = {"chat": "first", "code": "first", "merged": "chat;code", "apart": "chat;eye"}
    made = tuned(links, {"first": 1e22, "eye": 2e21}, code={"at_least": 1.1e22})
    assert made.loc[["merged", "apart"], "low"].tolist() == pytest.approx([1.1e22, 1.2e22])
    assert made.loc["merged", "formula"] == "at least 1.1e+22 (code)"


def test_an_estimate_is_no_surer_than_its_bases() -> None:
    links = {"second": "first", "third": "second", "much": "first"}
    made = tuned(links, {"first": 1e22}, 1.5, second=tune(1e20), third=tune(1e20), much=tune(5e21))
    third = 1.5 / 1.5  # a third of it is the further training
    assert made.loc[["second", "third", "much"], "inputs_dex"].tolist() == pytest.approx(
        [1.5 / 1.01, 1.5 / 1.02, third]
    )


def test_a_base_without_the_fine_tunes_own_compute_is_a_lower_bound() -> None:
    made = tuned({"chat": "base", "chat-2": "chat", "half": "base;unknown"}, {"base": 1e22}, half=tune(1e20))
    assert made["value"].isna().all()
    assert made.loc[["chat", "chat-2", "half"], "low"].tolist() == [1e22, 1e22, 1e22]
    assert made.loc["chat", "reason"] == "needs the fine-tune's own compute"
    assert made.loc["half", "reason"] == HAS_BASE
    assert made["assumptions"].fillna("").to_dict() == {"base": "", "chat": ALONE, "chat-2": "", "half": ""}
    assert tuned({"chat": "base"}, {}, base={"at_least": 1e25}).loc["chat", "low"] == 1e25, "so is a bound of a base"


def test_a_cycle_abstains_and_ends() -> None:
    edges = pd.DataFrame({"model_id": ["a", "b", "c"], "base_id": ["b", "a", "a"]}).astype("str")
    edges = counted_once(edges, {})
    assert resolve(edges, pd.Series(dtype="float64"), pd.Series({"a": 1.0, "b": 1.0, "c": 1.0})).isna().all()


def test_a_fine_tune_with_the_figure_of_its_base_abstains() -> None:
    own = {"same": tune(3.3e22 * 1.005), "more": tune(3.3e22 * 1.02)}
    made = tuned({"same": "t5-11b", "more": "t5-11b"}, {"t5-11b": 3.3e22}, 0.3, **own)
    assert made.loc["same", "reason"] == "needs the fine-tune's own compute: the one given is the base's"
    assert made.loc["same", "low"] == 3.3e22
    assert made.loc["more", "value"] > 6e22


# --- The capability index


TRUE = (24.0, 0.4, -0.2, 1.0)  # at 120 in 2024.4, per 10 points, per year, closed


def indexed(n: int = 120) -> pd.DataFrame:
    """Models on the line TRUE."""
    random = np.random.default_rng(0)
    index, days = random.uniform(80, 160, n), random.integers(0, 1200, n)
    year, closed = 2023 + days / 365.25 - 2024.4, random.random(n) < 0.5
    made = {
        "name": [f"Model {place}" for place in range(n)],
        "owner": [f"Maker {place % 17}" for place in range(n)],
        "publication_date": pd.Timestamp("2023-01-01") + pd.to_timedelta(days, "D"),
        "capability_index": index,
        "capability_index_low": index - 2,
        "capability_index_high": index + 2,
        "open_weights": pd.array(~closed, dtype="boolean"),
        FIELD: 10 ** (TRUE[0] + TRUE[1] * (index - 120) / 10 + TRUE[2] * year + TRUE[3] * closed),
    }
    return pd.DataFrame(made)


def line(models: pd.DataFrame) -> pd.DataFrame:
    return capability_index.fit(models, pd.Series(data=True, index=models.index))


def test_an_estimate_by_the_index_is_its_formula() -> None:
    models = indexed()
    models.loc[0, "name"] = "DeepSeek-R1-Distill-Qwen-7B"
    made = capability_index.estimate(models, line(models))
    assert made["reason"].iloc[0].startswith("needs a model that is not distilled")
    assert np.log10(made["value"] / models[FIELD]).abs()[1:].max() < 0.02
    text = made["formula"].iloc[1].removesuffix(" FLOP").replace(" for closed weights", "").replace("×", "*")
    assert eval(text.replace("10^", "10 **")) == pytest.approx(made["value"].iloc[1], rel=0.01)
    few = line(models.iloc[: capability_index.LEAST_ROWS - 1])
    assert capability_index.estimate(models.iloc[1:], few)["reason"].unique() == [
        "needs more models with an index and a published value"
    ]
    assert capability_index.estimate(models.assign(capability_index=np.nan), few).empty


# --- The regression


ONE = pd.Series(1.0, index=range(200))


def world(**more: Any) -> pd.DataFrame:
    year = np.random.default_rng(0).uniform(0, 8, 200)
    dates = pd.Timestamp("2018-01-01") + pd.to_timedelta(year * 365.25, "D")
    cells = [{"owner": f"O {place}", "publication_date": day, "domains": "Vision"} for place, day in enumerate(dates)]
    return rows(*cells).assign(**{FIELD: 10 ** (20 + 0.5 * year)}).assign(**more)


def fitted(made: pd.DataFrame, share: pd.Series = ONE) -> pd.DataFrame:
    return statistical.fit(made, pd.Series(np.nan, index=made.index), share)


def predicted(made: pd.DataFrame, coefficients: pd.DataFrame, base: float = np.nan) -> pd.DataFrame:
    return statistical.estimate(made, pd.Series(base, index=made.index), coefficients)


def test_it_finds_a_planted_line_also_with_wild_values() -> None:
    made = world()
    wild = made.assign(**{FIELD: made[FIELD].where(made.index % 15 > 0, 1e5)})
    off = np.log10(predicted(made, fitted(wild))["value"] / made[FIELD])
    assert off.abs().median() < 0.15


def test_no_model_is_predicted_from_its_own_fold() -> None:
    made = world()
    odd = pd.Series(statistical.folds(made["owner"]) == 3)
    usual, changed = (
        predicted(made, fitted(some))["value"] for some in (made, made.assign(**{FIELD: made[FIELD].mask(odd, 1e30)}))
    )
    assert (usual[odd] == changed[odd]).all()
    assert (usual[~odd] != changed[~odd]).any()


def test_a_model_that_is_notable_for_its_cost_alone_teaches_nothing() -> None:
    made = world()
    costly = made.index % 2 == 0
    told = made.assign(is_notable=costly, notability_criteria=np.where(costly, "training_cost", None))
    wrong = told.assign(**{FIELD: told[FIELD].where(~costly, 1e10)})
    pd.testing.assert_frame_equal(fitted(told), fitted(wrong))


@pytest.mark.parametrize(
    ("cells", "start"),
    [
        ({"parameters": 1e9, "training_tokens": 1e10, "domains": "Language"}, "from parameters, tokens and epochs"),
        ({"parameters": 1e9, "dataset_size": 1e10, "domains": "Language"}, "from parameters and tokens"),
        ({"parameters": 1e9, "dataset_size": 1e10, "domains": "Vision"}, "from parameters and dataset"),
        ({"parameters": 1e9, "dataset_size": 1e3, "dataset_unit": "hour"}, "from parameters"),
        ({"parameters": 1e9, "architecture": "lookup"}, "from date and kind"),
        ({}, "from date and kind"),
    ],
)
def test_what_it_starts_from(cells: Cell, start: str) -> None:
    made = rows({"publication_date": "2023-01-01"} | cells)
    assert predicted(made, fitted(world()))["assumptions"].tolist() == [start]
    assert predicted(made, fitted(world()), base=1e22)["assumptions"].tolist() == ["from the base model's compute"]
