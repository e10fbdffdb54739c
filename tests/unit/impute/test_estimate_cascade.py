"""Which estimate is taken, and what the estimates of the small checkout of real rows say about themselves."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from estimation_rows import A100, DECLARED, rows

from pipeline.config import load_config
from pipeline.curated import Architecture
from pipeline.impute.flop import cascade
from pipeline.normalize.stage import normalize_tables
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas

Tables = dict[str, pd.DataFrame]
FLOP = "training_compute_flop"
BLOOM = "bloom-3b"  # upstream: 3e9 parameters, 354e9 tokens, one epoch, no value
BLOOM_FLOP = 6 * 3e9 * 354e9


@pytest.fixture(scope="module")
def tables(small_template: Paths) -> Tables:
    return normalize_tables(load_config(small_template), None)


@pytest.fixture(scope="module")
def unchanged(tables: Tables) -> pd.DataFrame:
    """The estimates of these tables."""
    return estimate(tables)


def estimate(tables: Tables, **changed: pd.DataFrame) -> pd.DataFrame:
    parts = tables | changed
    return cascade.estimate(parts, load_schemas(Paths(CHECKOUT))["estimates"], DECLARED)


def of(estimates: pd.DataFrame, model_id: str, method: str) -> pd.Series:
    return estimates.set_index("estimate_id").loc[f"{model_id}:{FLOP}:{method}"]


def test_every_method_speaks_about_every_model(tables: Tables, unchanged: pd.DataFrame) -> None:
    made = unchanged
    assert len(made) == 4 * len(tables["models"])
    assert made["estimate_id"].is_unique
    assert made["reason"].notna().all()
    numbers = made[["value", "low", "high"]].to_numpy()
    assert (np.isnan(numbers) | ((numbers > 0) & np.isfinite(numbers))).all()
    known = made.dropna(subset="value")
    assert ((known["low"] < known["value"]) & (known["value"] < known["high"])).all()
    assert known[["formula", "inputs"]].notna().all(axis=None)


def test_a_declared_architecture_counts_in_every_vintage(tables: Tables, unchanged: pd.DataFrame) -> None:
    declared = DECLARED._replace(architectures=[Architecture(BLOOM, "encoder-decoder")])
    made = cascade.estimate(tables, load_schemas(Paths(CHECKOUT))["estimates"], declared)
    assert of(made, BLOOM, "operation_counting")["value"] == BLOOM_FLOP / 2
    assert of(unchanged, BLOOM, "operation_counting")["value"] == BLOOM_FLOP


def test_inputs_are_the_claims_that_the_formula_read(tables: Tables, unchanged: pd.DataFrame) -> None:
    made = unchanged
    claims = tables["claims"].set_index("claim_id")
    for row in made[made["is_selected"]].to_dict("records"):
        used = claims.loc[row["inputs"].split(";")]
        assert (used["status"] == "selected").all()
        values = used.set_index("field")["value"].dropna()
        passes = values.reindex(["dataset_size", "epochs"]).dropna()  # whose product is the tokens of the formula
        shown = [*values.drop(passes.index), *([passes.prod()] if len(passes) else [])]
        assert all(f"{value:.4g}" in row["formula"] for value in shown), row["formula"]
    fields = set(claims.loc[of(made, BLOOM, "operation_counting")["inputs"].split(";"), "field"])
    assert fields == {"parameters", "dataset_size", "dataset_unit", "epochs"}


def noted(tables: Tables, model_id: str, **cells: object) -> pd.DataFrame:
    """The claims plus one: what a note says about the training compute of a model."""
    usual = tables["claims"].iloc[[0]].assign(model_id=model_id, status="selected", note=None, reason="test")
    blank = usual.assign(value=np.nan, low=np.nan, high=np.nan, code=None, claim_id="0" * 16)
    return pd.concat([tables["claims"], blank.assign(**cells)], ignore_index=True)


def test_a_value_that_a_correction_took_away_or_made_a_bound_does_not_come_back_from_its_note(tables: Tables) -> None:
    said = {"status": "quarantined", "reason_code": "corrected", "reason": "corrected (x): wrong", "value": 2e20}
    bound = {"value": np.nan, "high": 2e20}
    beside = {"calm": said, "bloom-3b": {**bound, "correction": "bloom-all"}, "gopher-7.1b": bound}
    for place, (model_id, cells) in enumerate(beside.items()):
        claims = noted(tables, model_id, field="training_compute_stated", value=2e20, claim_id=f"{place:016}")
        claims = noted({"claims": claims}, model_id, field=FLOP, claim_id=f"{place + 9:016}", **cells)
        tables = tables | {"claims": claims}
    made = estimate(tables)
    refused = "needs a figure that no correction took away"
    assert [of(made, model_id, "stated_in_note")["reason"] == refused for model_id in beside] == [True, True, False]


def taken(*cells: dict[str, object], edges: tuple[tuple[str, str], ...] = ()) -> dict[str, str]:
    """By model_id the method whose value is selected."""
    made = rows(*cells).assign(training_compute_flop=np.nan, published_dex=np.nan, at_most=np.nan)
    made = made.assign(training_compute_flop=[cell.get("flop", np.nan) for cell in cells])
    made = made.assign(at_most=[cell.get("most", np.nan) for cell in cells])
    found = cascade.estimates_of(made, pd.DataFrame(list(edges), columns=["model_id", "base_id"], dtype="str"), None)
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
        (COUNT | {"flop": 1e20}, None),  # a source has a value
        (COUNT | {"most": 1e20}, None),  # outside what a source states
        ({"training_compute_stated": 1e20}, None),  # a figure in a note is never taken
    ],
)
def test_the_first_that_applies_is_taken_unless_something_speaks_against(cells: dict[str, object], method: str) -> None:
    assert taken({"model_id": "m"} | cells) == ({"m": method} if method else {})


def test_with_a_base_the_methods_speak_of_the_further_training() -> None:
    base = {"model_id": "base", "flop": 1e21}
    chat = {"model_id": "chat", "base_model": "Base"}
    assert taken(base, chat | COUNT, edges=(("chat", "base"),)) == {"chat": "base_plus_finetune"}
    assert taken(base, chat, edges=(("chat", "base"),)) == {}, "and without it nothing is a value"
