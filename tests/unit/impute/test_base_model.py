"""Base plus fine-tune: what adds up, what is only a bound, and what must be refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from estimation_rows import A100, rows

from pipeline.impute.flop.formulas import HAS_BASE
from pipeline.impute.flop.methods.base_model import ALONE, circular, estimate_with_base, increments, resolve
from pipeline.impute.flop.methods.hardware import count_chip_hours
from pipeline.impute.flop.methods.operation_count import count_operations


def tuned(links: dict[str, str], known: dict[str, float], own: dict[str, float], unsure: float = 0.3) -> pd.DataFrame:
    """The base_plus_finetune estimates by model_id: `links` gives the ;-joined bases, `own` the fine-tunes' FLOP."""
    ids = sorted({*links, *known, *own})
    edges = pd.DataFrame(
        [(m, b or None) for m, text in links.items() for b in text.split(";")], columns=["model_id", "base_id"]
    )
    table = rows(*({"model_id": m, "finetune_compute_flop": own.get(m), "base_model": links.get(m)} for m in ids))
    further = increments(table, count_operations(table), count_chip_hours(table))
    flop = pd.Series(known, dtype="float64")
    made = estimate_with_base(table, edges.astype("str"), flop, further, flop * 0 + unsure)
    return made.set_index(table["model_id"])


def test_bases_add_up_along_a_chain_and_side_by_side() -> None:
    links = {"third": "second", "second": "first", "both": "first;eye"}
    made = tuned(links, {"first": 1e22, "eye": 2e21}, {"second": 1e20, "third": 1e19, "both": 1e20})
    assert made.loc["third", "value"] == pytest.approx(1e22 + 1e20 + 1e19)
    assert made.loc["both", "value"] == pytest.approx(1.2e22 + 1e20)
    assert made.loc["both", "formula"] == "1e+22 (first) + 2e+21 (eye) + 1e+20 for the further training"
    assert made.loc["first", "reason"] == "needs a base model"


def test_weights_taken_over_as_they_are_add_nothing() -> None:
    table = rows(
        {"model_id": "base"},
        {"model_id": "sampler", "base_model": "base", "architecture": "base-weights", "epochs": 3},
        {"model_id": "chat", "base_model": "base", "architecture": "dense"},
    )
    edges = pd.DataFrame({"model_id": ["sampler", "chat"], "base_id": ["base", "base"]}).astype("str")
    further = increments(table, count_operations(table), count_chip_hours(table))
    flop = pd.Series({"base": 6e20})
    made = estimate_with_base(table, edges, flop, further, flop * 0 + 0.3).set_index(table["model_id"])
    assert made.loc["sampler", "value"] == 6e20
    assert made.loc["sampler", "formula"] == "6e+20 (base) + 0 for the further training"
    assert np.isnan(made.loc["chat", "value"])


def test_an_estimate_is_no_surer_than_its_bases() -> None:
    links = {"second": "first", "third": "second", "much": "first"}
    made = tuned(links, {"first": 1e22}, {"second": 1e20, "third": 1e20, "much": 5e21}, unsure=1.5)
    assert made.loc["second", "inputs_dex"] == pytest.approx(1.5 / 1.01)
    assert made.loc["third", "inputs_dex"] == pytest.approx(1.5 / 1.02)
    assert made.loc["much", "inputs_dex"] == pytest.approx(1.5 / 1.5), "a third of it is the further training"
    assert (made["high"] / made["value"]).loc["second"] == pytest.approx(10 ** (1.5 / 1.01), rel=1e-3)


def test_a_lower_bound_of_a_base_is_one_of_what_is_made_from_it() -> None:
    table = rows({"model_id": "base", "at_least": 1e25}, {"model_id": "chat", "base_model": "base"})
    edges = pd.DataFrame({"model_id": ["chat"], "base_id": ["base"]}).astype("str")
    further = increments(table, count_operations(table), count_chip_hours(table))
    nothing = pd.Series(dtype="float64")
    made = estimate_with_base(table, edges, nothing, further, nothing)
    assert made["low"].tolist()[1] == 1e25
    assert made["value"].isna().all()


def test_a_base_without_the_fine_tunes_own_compute_is_a_lower_bound() -> None:
    made = tuned({"chat": "base", "chat-2": "chat", "half": "base;unknown"}, {"base": 1e22}, {"half": 1e20})
    assert made["value"].isna().all()
    assert made.loc[["chat", "chat-2", "half"], "low"].tolist() == [1e22, 1e22, 1e22]
    assert made.loc["chat", "reason"] == "needs the fine-tune's own compute"
    assert made.loc["half", "reason"] == HAS_BASE
    assert made["assumptions"].fillna("").to_dict() == {"base": "", "chat": ALONE, "chat-2": "", "half": ""}


def test_a_cycle_abstains_and_ends() -> None:
    edges = pd.DataFrame({"model_id": ["a", "b", "c"], "base_id": ["b", "a", "a"]}).astype("str")
    assert set(circular(edges)) == {"a", "b", "c"}
    assert resolve(edges, pd.Series(dtype="float64"), pd.Series({"a": 1.0, "b": 1.0, "c": 1.0})).isna().all()
    made = tuned({"a": "b", "b": "a", "c": "a"}, {}, {"a": 1e20, "b": 1e20, "c": 1e20})
    assert made["value"].isna().all()
    assert made["reason"].str.contains("not made from itself").all()


def test_a_fine_tune_with_the_figure_of_its_base_abstains() -> None:
    # Unicorn upstream: 3.3e22 as its own fine-tuning, which is what T5-11B took
    made = tuned({"unicorn": "t5-11b"}, {"t5-11b": 3.3e22}, {"unicorn": 3.3e22})
    assert made.loc["unicorn", "reason"].startswith("needs the fine-tune's own compute")
    assert made.loc["unicorn", "low"] == 3.3e22
    near = tuned(
        {"same": "t5-11b", "more": "t5-11b"}, {"t5-11b": 3.3e22}, {"same": 3.3e22 * 1.005, "more": 3.3e22 * 1.02}
    )
    assert near["value"].isna().to_dict() == {"more": False, "same": True, "t5-11b": True}


def test_two_ways_to_the_increment_that_contradict_each_other_abstain() -> None:
    table = rows(
        {"model_id": "m", "base_model": "b", "parameters": 1e9, "training_tokens": 1e9, "chip_hours": 1e5, **A100}
    )
    edges = pd.DataFrame({"model_id": ["m"], "base_id": ["b"]}).astype("str")
    further = increments(table, count_operations(table), count_chip_hours(table))
    made = estimate_with_base(table, edges, pd.Series({"b": 1e22}), further, pd.Series({"b": 0.3}))
    assert made.loc[0, "reason"].startswith("differs")
    assert pd.isna(made.loc[0, "value"])


def increment(published: float | None, counted: float | None, clocked: float | None) -> pd.Series:
    """The increment of a fine-tune with these FLOP, published, counted and from hardware."""
    made = [
        pd.DataFrame({"value": [flop], "formula": word, "assumptions": f"by {word}", "fields": f"from {word}"})
        for flop, word in ((counted, "counting"), (clocked, "chips"))
    ]
    table = rows({"base_model": "b", "finetune_compute_flop": published})
    return increments(table, *(one.astype({"value": "float64"}) for one in made)).iloc[0]


@pytest.mark.parametrize(
    ("given", "flop", "fields"),
    [
        ((3.0, 50.0, 4.0), 3.0, "finetune_compute_flop"),  # that the others contradict each other does not matter
        ((None, 5.0, 4.0), 5.0, "from counting"),
        ((None, None, 4.0), 4.0, "from chips"),
    ],
)
def test_the_increment_is_published_or_counted_or_from_hardware(
    given: tuple[float | None, float | None, float | None], flop: float, fields: str
) -> None:
    made = increment(*given)
    assert (made["value"], made["fields"], made["apart"]) == (flop, fields, False)
    assert made["assumptions"] == {"from counting": "by counting", "from chips": "by chips"}.get(fields, "")
