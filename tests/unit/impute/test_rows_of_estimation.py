"""What the methods look at, on tables of a few models, claims and chips; and the claims behind an estimate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.curated import Architecture
from pipeline.frames import Tables, conform
from pipeline.impute.flop.rows import FIELD, Declared, base_edges, estimation_rows
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas

SCHEMAS = load_schemas(Paths(CHECKOUT))
DECLARED = Declared(
    bands={"confident": 3.0, "likely": 10.0},
    utilization={"Language": 0.3, "default": 0.4},
    tokens_per_unit={"word": 4 / 3},
    owners={"Google DeepMind": "Google"},
    architectures=[Architecture("m", "RNN"), Architecture("m", "CNN")],
)
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
    made = estimation_rows(tables(*claims, models=models), DECLARED).set_index("model_id")
    assert made.loc["other", ["base_model", "architecture", "at_least", "refused", "recalled"]].isna().all()
    return made.loc["m"].dropna().to_dict()


def test_the_nearest_bounds_count_and_those_of_the_table_go_before() -> None:
    bound = "training_compute_bound"
    claims = [claim(bound, low=1e20, high=1e25), claim(bound, "alternate", low=2e20, high=2e25)]
    claims += [claim(bound, "quarantined", low=9e20, high=1e21), claim(FIELD, "alternate", low=1.5e20)]
    claims += [claim(FIELD, "alternate", value=1e22, low=5e21, high=2e22)]  # the interval of a value is no bound
    noted = {"noted_low": 2e20, "noted_high": 1e25}
    found = row(*claims)
    assert {name: found[name] for name in noted} == noted
    assert (found["at_least"], found["at_most"]) == (2e20, 1e25)
    stated = row(*claims, training_compute_low=3e19, training_compute_high=3e25)
    assert (stated["at_least"], stated["at_most"], stated["noted_low"]) == (3e19, 3e25, 2e20)


REFUSED: list[tuple[list[Cells], float | None]] = [
    ([claim(FIELD, "quarantined", value=3e16, reason_code="corrected")], 3e16),
    ([claim(FIELD, "quarantined", value=3e16, reason_code="other")], None),
    ([claim(FIELD, low=4e16, correction="c")], 4e16),
    ([claim(FIELD, high=5e16, correction="c")], 5e16),
    ([claim(FIELD, value=3e16, correction="c")], None),  # which a correction has set
    ([claim(FIELD, "quarantined", low=4e16, correction="c")], None),
    ([claim("training_compute_bound", low=4e16, correction="c")], None),
    ([claim(FIELD, low=4e16, correction="c"), claim(FIELD, "alternate", low=6e16, correction="d")], 6e16),
]


def test_what_a_correction_took_away_is_known() -> None:
    claims = [
        one | {"model_id": str(n), "claim_id": f"{n}-{m}"}
        for n, (some, _) in enumerate(REFUSED)
        for m, one in enumerate(some)
    ]
    models = [{"model_id": str(n), "name": str(n)} for n in range(len(REFUSED))]
    found = estimation_rows(tables(*claims, models=models), DECLARED).set_index("model_id")["refused"]
    assert [found[str(n)] for n in range(len(REFUSED))] == pytest.approx(
        [np.nan if value is None else value for _, value in REFUSED], nan_ok=True
    )


CHIPS: list[tuple[tuple[str | None, ...], Cells]] = [
    ((), {"chips": 0, "chips_known": 0}),
    ((None,), {"chips": 1, "chips_known": 0}),
    (("new", None), {"chips": 2, "chips_known": 1, "hardware_type": "GPU", TENSOR: 1e14, FP32: 4e12}),
    (("new", "new"), {"chips": 2, "chips_known": 1, "hardware_type": "GPU", TENSOR: 1e14, FP32: 4e12}),
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
    found = estimation_rows(made, DECLARED)[["chips", "chips_known", "hardware_type", "rates_apart", TENSOR, FP32]]
    for (chips, known), (_, one) in zip(CHIPS, found.iterrows(), strict=True):
        assert one.dropna().to_dict() == pytest.approx(known), chips


def test_a_base_is_a_record_of_that_name_or_several_in_a_list() -> None:
    claims = [
        {"model_id": name, "record": record, "field": "domains", "status": "selected", "claim_id": record}
        for name, record in (("a", "First"), ("b", "Second"), ("c", "Second, enlarged"), ("gone", "Gone"))
    ]
    bases = {"both": "Second , First", "one": "Second, enlarged", "lost": "Nobody", "dropped": "Gone", "not": "First"}
    claims += [
        {
            "model_id": name,
            "record": name,
            "field": "base_model",
            "claim_id": f"{name}-base",
            "code": code,
            "status": "alternate" if name == "not" else "selected",
        }
        for name, code in bases.items()
    ]
    claims.append(claims[-5] | {"claim_id": "again", "record": "both again"})
    ids = pd.Series([*"abc", *bases], dtype="str")
    known = conform(pd.DataFrame(claims), SCHEMAS["claims"])
    found = base_edges(known, ids)
    pairs = list(zip(found["model_id"], found["base_id"].fillna(""), strict=True))
    assert pairs == [("both", "a"), ("both", "b"), ("dropped", ""), ("lost", ""), ("one", "c")]
    assert found.index.tolist() == list(range(5)), "by which texts about a base are looked up"
    assert base_edges(known, ids[ids != "both"])["model_id"].tolist() == ["dropped", "lost", "one"]
