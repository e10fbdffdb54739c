"""What the methods look at, which estimate is taken, and what the estimates of a small checkout say of themselves."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from estimation_rows import A100, CONTEXT, rows

from pipeline.frames import Tables, conform
from pipeline.impute import choose
from pipeline.impute.intervals import load_calibrated
from pipeline.impute.methods.base_model import counted_once
from pipeline.impute.results import FIELD
from pipeline.impute.rows import base_edges, estimation_rows
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas

CALIBRATED = load_calibrated(Paths(CHECKOUT))
SCHEMAS = load_schemas(Paths(CHECKOUT))
TENSOR, FP32 = "peak_tensor_fp16_flops", "peak_fp32_flops"
HARDWARE = [
    {"hardware_id": "old", "name": "Old", "type": "GPU", FP32: 1e12},
    {"hardware_id": "new", "name": "New", "type": "GPU", TENSOR: 1e14, FP32: 4e12},
    {"hardware_id": "tpu", "name": "TPU", "type": "TPU", TENSOR: 4e14},
]
Cells = dict[str, Any]


def claim(field: str, status: str = "selected", **more: object) -> Cells:
    return {"model_id": "m", "record": "m", "field": field, "status": status, "claim_id": f"{field}-{status}"} | more


def tables(*claims: Cells, models: list[Cells]) -> Tables:
    made = {"models": models, "claims": list(claims), "model_hardware": [], "hardware": HARDWARE}
    return {name: conform(pd.DataFrame(rows), SCHEMAS[name]) for name, rows in made.items()}


def row(*claims: Cells, **cells: object) -> Cells:
    """What is known of m beside a model of which nothing is."""
    models = [{"model_id": "m", "name": "m", **cells}, {"model_id": "other", "name": "other"}]
    made = estimation_rows(CONTEXT, tables(*claims, models=models)).set_index("model_id")
    assert made.loc["other", ["base_model", "architecture", "at_least", "recalled"]].isna().all()
    return made.loc["m"].dropna().to_dict()


CHIPS: list[tuple[tuple[str | None, ...], Cells]] = [
    ((), {"chips": 0, "chips_known": 0}),
    ((None,), {"chips": 1, "chips_known": 0}),
    (("new", None), {"chips": 2, "chips_known": 1, "hardware_type": "GPU", TENSOR: 1e14, FP32: 4e12}),
    # of two kinds the geometric mean of what both have, and how far they are apart
    (("new", "old"), {"chips": 2, "chips_known": 2, "hardware_type": "GPU", FP32: 2e12, "rates_apart": 4}),
    (("new", "tpu"), {"chips": 2, "chips_known": 2, TENSOR: 2e14, "rates_apart": 4}),
    (("old", "new", "tpu"), {"chips": 3, "chips_known": 3}),
]


def test_several_kinds_of_chip_have_the_mean_of_rates_that_all_have() -> None:
    made = tables(models=[{"model_id": f"m{n}", "name": f"m{n}"} for n in range(len(CHIPS))])
    mentions = [
        {"model_id": f"m{n}", "ordinal": m, "mention": f"chip {m}", "hardware_id": chip}
        for n, (chips, _) in enumerate(CHIPS)
        for m, chip in enumerate(chips)
    ]
    made["model_hardware"] = conform(pd.DataFrame(mentions), SCHEMAS["model_hardware"])
    found = estimation_rows(CONTEXT, made)[["chips", "chips_known", "hardware_type", "rates_apart", TENSOR, FP32]]
    for (chips, known), (_, one) in zip(CHIPS, found.iterrows(), strict=True):
        assert one.dropna().to_dict() == pytest.approx(known), chips


def test_a_base_is_a_record_of_that_name_or_several_in_a_list() -> None:
    records = {"a": "First", "b": "Second", "c": "Second, enlarged", "gone": "Gone"}
    claims = [claim("domains", model_id=name, record=text, claim_id=name) for name, text in records.items()]
    bases = {"both": "Second , First", "one": "Second, enlarged", "lost": "Nobody", "dropped": "Gone"}
    claims += [
        claim("base_model", model_id=name, record=name, claim_id=name, code=text) for name, text in bases.items()
    ]
    claims.append(claim("base_model", "alternate", model_id="not", record="not", claim_id="not", code="First"))
    claims.append(claims[4] | {"claim_id": "again", "record": "both again"})
    ids = pd.Series([*"abc", *bases, "not"], dtype="str")
    known = conform(pd.DataFrame(claims), SCHEMAS["claims"])
    found = base_edges(known, pd.DataFrame({"model_id": ids, "training_run_id": ids}))
    pairs = list(zip(found["model_id"], found["base_id"].fillna(""), strict=True))
    assert pairs == [("both", "a"), ("both", "b"), ("dropped", ""), ("lost", ""), ("one", "c")]
    assert found.index.tolist() == list(range(5)), "by which texts about a base are looked up"


# --- Which is taken


def taken(*cells: dict[str, object], edges: tuple[tuple[str, str], ...] = ()) -> dict[str, str]:
    """By model_id the method whose value is selected."""
    made = pd.DataFrame(list(edges), columns=["model_id", "base_id"], dtype="str")
    found = choose.estimates_of(rows(*cells), counted_once(made, {}), CALIBRATED)
    chosen = found[found["is_selected"] & found["value"].notna()]
    return dict(zip(chosen["model_id"], chosen["method"], strict=True))


COUNT = {"parameters": 1e9, "training_tokens": 1e11}  # 6e20 FLOP
CLOCK = A100 | {"hardware_quantity": 10.0, "training_hours": 60.0}  # 2.0e20 FLOP at 0.30


@pytest.mark.parametrize(
    ("cells", "method"),
    [
        (COUNT | CLOCK, "operation_counting"),
        (CLOCK, "hardware"),
        (COUNT | CLOCK | {"training_hours": 6.0}, None),  # a factor of 30 apart: neither
        (COUNT | {FIELD: 1e20}, None),  # a source has a value
        (COUNT | {"at_most": 1e20}, None),  # outside what a source states
    ],
)
def test_the_first_that_applies_is_taken_unless_something_speaks_against(cells: dict[str, object], method: str) -> None:
    assert taken({"model_id": "m"} | cells) == ({"m": method} if method else {})


def test_with_a_base_the_methods_speak_of_the_further_training() -> None:
    base = {"model_id": "base", FIELD: 1e21}
    chat = {"model_id": "chat", "base_model": "Base"}
    assert taken(base, chat | COUNT, edges=(("chat", "base"),)) == {"chat": "base_plus_finetune"}
    assert taken(base, chat, edges=(("chat", "base"),)) == {}, "and without it nothing is a value"
