"""Which estimate is taken and what it rests on, on tables of a few models whose numbers can be worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from estimation_rows import DECLARED

from pipeline.frames import Tables, conform
from pipeline.impute.flop import cascade
from pipeline.impute.flop.calibration_tables import Calibrated, load_calibrated
from pipeline.impute.flop.methods import base_model, hardware, note, operation_count, statistical
from pipeline.impute.flop.rows import base_edges, estimation_rows
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas

SCHEMAS = load_schemas(Paths(CHECKOUT))
FLOP = "training_compute_flop"
COUNTED = {"domains": "Language", "parameters": 1e9, "training_tokens": 1e11}  # 6e20 FLOP
V100 = {"type": "GPU", "peak_tensor_fp16_flops": 1.25e14, "peak_fp32_flops": 1.57e13}  # NVIDIA's data sheet
CLOCKED = {"chip_hours": 1e4, "numerical_format": "FP16"}  # 1e4 · 3600 · 1.25e14 · 0.3 = 1.35e21 FLOP
Cells = dict[str, Any]


def tables_of(models: dict[str, Cells], chips: tuple[str, ...] = ()) -> Tables:
    """The tables of models with these cells, each of them with its claim: columns, `base` with the names of the base
    models, and what is claimed alone, such as `forward_flop`; a pair is a bound. The models in `chips` ran on V100."""
    rows = [
        {"model_id": name, "name": name, "publication_date": "2023-06-01", **cells} for name, cells in models.items()
    ]
    claims = [
        {"model_id": row["model_id"], "field": "base_model" if field == "base" else field, **cell_of(value)}
        for row in rows
        for field, value in row.items()
        if field not in ("model_id", "name", "publication_date")
    ]
    every = pd.DataFrame(claims, columns=["model_id", "field", "value", "low", "high", "code"])
    every = every.assign(record=every["model_id"], status="selected", claim_id=every["model_id"] + "-" + every["field"])
    mentions = [{"model_id": name, "ordinal": 1, "mention": "V100", "hardware_id": "v100"} for name in chips]
    return {
        "models": conform(pd.DataFrame(rows), SCHEMAS["models"]),
        "claims": conform(every, SCHEMAS["claims"]),
        "model_hardware": conform(pd.DataFrame(mentions), SCHEMAS["model_hardware"]),
        "hardware": conform(pd.DataFrame([{"hardware_id": "v100", "name": "V100", **V100}]), SCHEMAS["hardware"]),
    }


def cell_of(value: object) -> Cells:
    if isinstance(value, tuple):
        return {"low": value[0], "high": value[1]}
    return {"code": value} if isinstance(value, str) else {"value": value}


def estimates(tables: Tables, calibrated: Calibrated | None = None) -> pd.DataFrame:
    """The estimates by model and method."""
    made = cascade.estimate(tables, SCHEMAS["estimates"], DECLARED, calibrated)
    return made.set_index(["model_id", "method"])


def of(models: dict[str, Cells], model: str, method: str, chips: tuple[str, ...] = ()) -> pd.Series:
    return estimates(tables_of(models, chips)).loc[(model, method)]


def judged(row: Cells, **flop: float) -> dict[str, tuple[bool, str]]:
    """By method whether its result is taken, and why, for one model."""
    rows = pd.DataFrame([{"model_id": "m", FLOP: np.nan, "at_least": np.nan, "at_most": np.nan} | row])
    methods = (base_model.METHOD, operation_count.METHOD, hardware.METHOD, note.METHOD)
    made = {
        name: pd.DataFrame({"value": [flop.get(name, np.nan)], "reason": "" if name in flop else "needs more"})
        for name in methods
    }
    found = {name: result.iloc[0] for name, result in cascade.judge(made, rows).items()}
    assert all(one["method"] == name and one["model_id"] == "m" for name, one in found.items())
    return {name: (bool(one["is_selected"]), one["reason"]) for name, one in found.items()}


def test_the_first_method_that_applies_is_taken() -> None:
    assert judged({}, base_plus_finetune=2.0, operation_counting=3.0, hardware=4.0) == {
        "base_plus_finetune": (True, "no published value"),
        "operation_counting": (False, "base_plus_finetune is preferred"),
        "hardware": (False, "base_plus_finetune is preferred"),
        "stated_in_note": (False, "needs more"),
    }
    assert judged({}, hardware=4.0)["hardware"] == (True, "no published value")
    assert judged({}, operation_counting=3.0, hardware=4.0)["hardware"] == (False, "operation_counting is preferred")


def test_a_figure_in_a_note_is_neither_taken_nor_held_against_the_others() -> None:
    found = judged({}, operation_counting=1.0, stated_in_note=100.0)
    assert found["operation_counting"] == (True, "no published value")
    assert found["stated_in_note"] == (False, "left aside: its source did not enter it as the value")
    assert judged({FLOP: 1.0}, stated_in_note=100.0)["stated_in_note"] == (False, "a published value exists")


@pytest.mark.parametrize(("clocked", "taken"), [(10.0, True), (10.1, False), (0.1, True), (0.0999, False)])
def test_methods_may_differ_by_a_factor_of_ten(clocked: float, taken: bool) -> None:
    found = judged({}, operation_counting=1.0, hardware=clocked)
    assert found["operation_counting"][0] is taken
    assert found["operation_counting"][1].startswith("no published value" if taken else "differs: operation counting")
    assert not found["hardware"][0]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"at_least": 5.0, "at_most": 5.0}, "no published value"),
        ({"at_least": 5.1}, "differs: outside the bound that a source states"),
        ({"at_most": 4.9}, "differs: outside the bound that a source states"),
        ({"at_most": 4.9, FLOP: 5.0}, "a published value exists"),
    ],
)
def test_an_estimate_outside_a_stated_bound_is_not_taken(row: Cells, reason: str) -> None:
    assert judged(row, operation_counting=5.0)["operation_counting"] == (reason == "no published value", reason)


def test_each_model_is_judged_by_its_own_methods_alone() -> None:
    models = {"counted": COUNTED, "timed": CLOCKED, "printed": {**COUNTED, FLOP: 7e20}, "blank": {}}
    made = estimates(tables_of(models, chips=("timed",)))
    assert made[made["is_selected"]].index.tolist() == [("counted", "operation_counting"), ("timed", "hardware")]
    assert made.loc[("timed", "hardware"), "value"] == pytest.approx(1.35e21 * 0.4 / 0.3), "no language model"
    beside = made.loc[("printed", "operation_counting")]
    assert (beside["value"], beside["reason"]) == (6e20, "a published value exists")
    assert beside["disagreement_dex"] == pytest.approx(np.log10(6 / 7))


PASSES: list[tuple[Cells, str, float | None]] = [
    ({"domains": "Vision"}, "needs a language model", None),
    ({"domains": "Vision", "forward_flop": 1e9}, "needs examples seen", None),
    ({"domains": "Vision", "forward_flop": 1e9, "training_examples": 1e6}, "no published value", 3e15),
    ({**COUNTED, "forward_flop": 1e9, "training_examples": 1e6}, "no published value", 6e20),
]


def test_passes_count_where_6nd_does_not_apply_and_a_forward_pass_is_known() -> None:
    made = estimates(tables_of({f"m{number}": cells for number, (cells, *_) in enumerate(PASSES)}))
    for number, (cells, reason, flop) in enumerate(PASSES):
        found = made.loc[(f"m{number}", "operation_counting")]
        assert found["reason"].startswith(reason), cells
        assert (None if pd.isna(found["value"]) else found["value"]) == flop, cells


BASE = {"base": {FLOP: 1e22}}
NEEDS = "needs the fine-tune's own compute"


BOUNDS: list[tuple[Cells, str | None]] = [
    ({}, base_model.METHOD),
    ({"training_compute_high": 1e22}, base_model.METHOD),
    ({"training_compute_high": 0.9e22}, None),
    ({FLOP: 2e22}, None),
    ({"training_compute_bound": (2e22, None)}, note.METHOD),
    ({"training_compute_bound": (1e22, None)}, base_model.METHOD),  # the note says no more
    ({"training_compute_bound": (0.5e22, None)}, base_model.METHOD),
    ({"training_compute_bound": (None, 3e22)}, base_model.METHOD),
    ({"training_compute_bound": (None, 0.9e22)}, note.METHOD),
    ({"training_compute_stated": 3e22}, base_model.METHOD),  # a figure is no bound
    ({"finetune_compute_flop": 1e20}, base_model.METHOD),
    ({"finetune_compute_flop": 1e20, "training_compute_bound": (0.1e22, None)}, base_model.METHOD),
]


@pytest.fixture(scope="module")
def bounded() -> pd.DataFrame:
    """The estimates of all of them: each is a model of its own, made from the same base."""
    return estimates(tables_of(BASE | {f"m{n}": {"base": "base", **cells} for n, (cells, _) in enumerate(BOUNDS)}))


@pytest.mark.parametrize("number", range(len(BOUNDS)))
def test_the_bound_of_a_base_is_taken_unless_a_note_says_more_or_a_source_less(
    bounded: pd.DataFrame, number: int
) -> None:
    made, (cells, taken) = bounded.loc[f"m{number}"], BOUNDS[number]
    assert made.index[made["is_selected"]].tolist() == ([taken] if taken else [])
    has_value = FLOP in cells or "finetune_compute_flop" in cells
    assert made["reason"].str.startswith("a bound, no value: ").sum() == (0 if has_value or not taken else 1)
    assert pd.isna(made.loc[base_model.METHOD, "value"]) == ("finetune_compute_flop" not in cells)


def test_the_bound_of_a_note_is_taken_where_nothing_else_is_known() -> None:
    bound = {"training_compute_bound": (0.5, None)}
    models = {
        "bound": bound,
        "counted": {**bound, **COUNTED},
        "figure": {"training_compute_stated": 1e20},
        "small": {FLOP: 0.5},
        "tuned": {"base": "small", "training_compute_bound": (None, 9.0)},
    }
    made = estimates(tables_of(models))
    noted = made.xs(note.METHOD, level="method")
    assert noted.index[noted["is_selected"]].tolist() == ["bound"], "of the tuned one the base's bound, however low"
    assert noted.loc["bound", "low"] == 0.5
    assert noted.loc["bound", "reason"] == "a bound, no value: needs a figure: a source gives a bound"
    assert made.loc[("tuned", base_model.METHOD), "reason"] == "a bound, no value: " + NEEDS


def test_two_methods_that_contradict_each_other_leave_no_room_for_a_bound() -> None:
    cells = {**COUNTED, **CLOCKED, "chip_hours": 1e6, "training_compute_bound": (1e19, None)}
    made = estimates(tables_of({"m": cells}, chips=("m",))).loc["m"]
    assert not made["is_selected"].any()


def test_a_base_is_published_or_an_estimate_that_was_taken() -> None:
    models = {
        "counted": COUNTED,
        "printed": {**COUNTED, FLOP: 5e20},
        "against": {**COUNTED, "training_compute_high": 1e20},  # its count is outside the bound
        "timed": {"domains": "Language", **CLOCKED},
    }
    tunes = {f"on-{name}": {"base": name, "finetune_compute_flop": 1e20} for name in models}
    made = estimates(tables_of(models | tunes, chips=("timed",)))["value"].unstack()[base_model.METHOD]
    found = made.dropna().to_dict()
    assert found == pytest.approx({"on-counted": 7e20, "on-printed": 6e20, "on-timed": 1.45e21})


def test_an_estimate_says_which_claims_and_which_estimates_it_rests_on() -> None:
    models = {
        "counted": COUNTED,
        "printed": {**COUNTED, FLOP: 5e20},
        "first": {"base": "counted", "finetune_compute_flop": 1e20},
        "second": {"base": "first,printed", "finetune_compute_flop": 2e20},
        "open": {"base": "printed"},
        "further": {"base": "open"},
        "lost": {"base": "unknown", "finetune_compute_flop": 1e20},
        "noted": {"base": "printed", "training_compute_stated": 3e22},
    }
    made = estimates(tables_of(models))["inputs"]
    own = "{0}-base_model;{0}-finetune_compute_flop;"
    assert made["counted", operation_count.METHOD] == "counted-parameters;counted-training_tokens"
    assert made["first", base_model.METHOD] == own.format("first") + f"counted:{FLOP}:operation_counting"
    both = f"first:{FLOP}:base_plus_finetune;printed-{FLOP}"
    assert made["second", base_model.METHOD] == own.format("second") + both
    assert made["open", base_model.METHOD] == f"open-base_model;printed-{FLOP}"
    assert made["further", base_model.METHOD] == f"further-base_model;open:{FLOP}:base_plus_finetune"
    assert pd.isna(made["lost", base_model.METHOD])
    assert made["noted", note.METHOD] == "noted-training_compute_stated", "a note needs no base"


def test_of_two_estimates_of_a_base_the_one_that_was_taken_is_named() -> None:
    models = {
        "base": {**COUNTED, **CLOCKED},
        "tune": {"base": "base", "finetune_compute_flop": 1e20},
        "limit": {"base": "tune", "training_compute_bound": (9e30, None)},  # more than its base says
        "last": {"base": "limit"},
    }
    made = estimates(tables_of(models, chips=("base",)))
    assert made.loc[("base", "hardware"), "value"] == pytest.approx(1.35e21)
    assert made.loc[("tune", base_model.METHOD), "inputs"].endswith(f";base:{FLOP}:operation_counting")
    assert made.loc[("limit", note.METHOD), "is_selected"]
    assert made.loc[("last", base_model.METHOD), "inputs"].endswith(f";limit:{FLOP}:stated_in_note")


def test_a_bound_that_was_not_taken_itself_is_named_where_it_limits_what_comes_after() -> None:
    apart = {**COUNTED, **CLOCKED, "chip_hours": 1e6, "training_compute_bound": (1e19, None)}  # two values, none taken
    made = estimates(tables_of({"base": apart, "tune": {"base": "base"}}, chips=("base",)))
    assert not made.loc["base", "is_selected"].any()
    limit = made.loc[("tune", base_model.METHOD)]
    assert (limit["low"], limit["inputs"]) == (1e19, f"tune-base_model;base:{FLOP}:stated_in_note")


def test_only_a_selected_claim_with_a_value_stands_behind_a_base() -> None:
    bases = {name: {FLOP: 1e22} for name in ("base", "other", "blank")}
    tables = tables_of(bases | {f"on-{name}": {"base": name, "finetune_compute_flop": 1e20} for name in bases})
    claims = tables["claims"].set_index("claim_id", drop=False)
    claims.loc[f"other-{FLOP}", "status"] = "alternate"
    claims.loc[f"blank-{FLOP}", "value"] = np.nan
    inputs = estimates(tables | {"claims": claims.reset_index(drop=True)})["inputs"].unstack()[base_model.METHOD]
    named = [name for name in bases if f"{name}-{FLOP}" in inputs[f"on-{name}"].split(";")]
    assert named == ["base"]


def test_an_estimate_is_as_unsure_as_the_bases_it_adds_to() -> None:
    models = {
        "counted": COUNTED,  # ± 0.48 dex, a factor of 3
        "likely": {FLOP: 1e20, "training_compute_confidence": "speculative"},
        "on-counted": {"base": "counted", "finetune_compute_flop": 4e20},
        "on-likely": {"base": "likely", "finetune_compute_flop": 1e19},
    }
    tables = tables_of(models)
    rows = estimation_rows(tables, DECLARED).set_index("model_id", drop=False)
    edges = base_edges(tables["claims"], tables["models"]["model_id"])
    made = cascade.all_methods(rows.reset_index(drop=True), edges, None)[base_model.METHOD].set_index("model_id")
    assert made.loc["on-counted", "inputs_dex"] == pytest.approx(0.48 * 6 / 10)
    assert made.loc["on-likely", "inputs_dex"] == pytest.approx(np.log10(DECLARED.bands["speculative"]) / 1.1)


@pytest.fixture(scope="module")
def calibrated() -> pd.DataFrame:
    """The estimates with intervals that were measured."""
    models = {
        "blank": {},
        "printed": {FLOP: 1e22},
        "counted": COUNTED,
        "base": {FLOP: 1e24},
        "tuned": {"base": "base"},
        "lone": {"base": "unknown"},
    }
    return estimates(tables_of(models), load_calibrated(Paths(CHECKOUT)))


def test_the_statistical_estimate_speaks_of_every_model_and_is_never_taken(calibrated: pd.DataFrame) -> None:
    said = calibrated.xs(statistical.METHOD, level="method")
    assert said["value"].notna().all()
    assert not said["is_selected"].any()
    assert said["reason"][["blank", "printed", "counted"]].to_dict() == {
        "blank": "no physical method: it stands in models_completed",
        "printed": "a published value exists",
        "counted": "no physical method: it stands in models_completed",
    }
    apart = said["disagreement_dex"].dropna().to_dict()
    known = {"printed": 22, "base": 24}
    assert apart == pytest.approx({name: np.log10(said.loc[name, "value"]) - dex for name, dex in known.items()})
    assert statistical.METHOD not in estimates(tables_of({"blank": {}})).index.get_level_values("method")


def test_calibrated_estimates_have_quantiles_in_order(calibrated: pd.DataFrame) -> None:
    made = calibrated.loc[("counted", operation_count.METHOD)]
    inside = made[["low", "quantile_25", "quantile_50", "quantile_75", "high"]].astype("float64")
    assert inside.is_monotonic_increasing
    assert inside["low"] < made["value"] < inside["high"]
    plain = estimates(tables_of({"counted": COUNTED})).loc[("counted", operation_count.METHOD)]
    assert pd.isna(plain["quantile_50"])


def test_the_regression_starts_from_the_bases_that_are_known(calibrated: pd.DataFrame) -> None:
    said = calibrated.xs(statistical.METHOD, level="method")["assumptions"]
    assert said[["base", "tuned", "lone"]].to_dict() == {
        "base": "from date and kind",
        "tuned": "from the base model's compute",
        "lone": "from date and kind",
    }


def test_the_compute_of_the_bases_is_by_row() -> None:
    tables = tables_of({"first": {FLOP: 1.0}, "second": {FLOP: 2.0}, "both": {"base": "first,second"}, "x": {}})
    rows = estimation_rows(tables, DECLARED)
    edges = base_edges(tables["claims"], rows["model_id"])
    found = cascade.known_bases(cascade.all_methods(rows, edges, None), rows, edges)
    assert found.set_axis(rows["model_id"]).dropna().to_dict() == {"both": 3.0}
    assert found.index.equals(rows.index)


TAKEN = {"value": 8.64e19, "low": 1e19, "high": 1e21, "method": "hardware", "is_selected": True}
EMPTY = {"value": np.nan, "low": np.nan, "high": np.nan}


def imputed(model: Cells, **estimate: Any) -> Cells:
    """The cells on training compute of a model with this estimate, as far as they are not null."""
    models = conform(pd.DataFrame([{"model_id": "m", **model}]), SCHEMAS["models"])
    found = cascade.impute(models, pd.DataFrame([{"model_id": "m", **TAKEN, **estimate}])).iloc[0].dropna().to_dict()
    return {name.removeprefix("training_compute_"): cell for name, cell in found.items() if name != "model_id"}


def test_an_estimate_fills_in_value_interval_and_origin() -> None:
    filled = {"flop": 8.64e19, "low": 1e19, "high": 1e21, "pfs_days": 1.0, "source": "imputed", "method": "hardware"}
    assert imputed({}) == filled
    assert imputed({"training_compute_confidence": "likely"}) == filled
    assert imputed({}, is_selected=False) == {}


@pytest.mark.parametrize("side", ["low", "high"])
def test_the_bound_of_a_source_stays_beside_an_estimate(side: str) -> None:
    made = imputed({f"training_compute_{side}": 5e19})
    assert (made["flop"], made[side]) == (8.64e19, 5e19)
    assert {"low", "high"} <= made.keys()


def test_a_published_value_keeps_all_that_stands_beside_it() -> None:
    beside = {"flop": 2 * 8.64e19, "source": "reported", "method": "reported", "confidence": "confident"}
    cells = {f"training_compute_{name}": cell for name, cell in beside.items()}
    assert imputed(cells) == {**beside, "pfs_days": 2.0}


@pytest.mark.parametrize(
    ("bound", "stated", "found"),
    [
        ({"low": 1e19}, {}, {"low": 1e19}),
        ({"high": 1e21}, {}, {"high": 1e21}),
        ({"low": 1e19}, {"low": 2e19}, {"low": 2e19}),
        ({"low": 3e19}, {"low": 2e19}, {"low": 3e19}),
        ({"low": 3e19}, {"low": 2e19, "high": 2e21}, {"low": 2e19, "high": 2e21}),
        ({"low": 1e19}, {"high": 2e21}, {"high": 2e21}),
        ({"high": 1e21}, {"low": 2e19}, {"low": 2e19}),
        ({"low": 1e19}, {"confidence": "likely"}, {"low": 1e19, "confidence": "likely"}),
    ],
)
def test_a_bound_alone_is_filled_in_where_no_source_states_a_higher_one(
    bound: Cells, stated: Cells, found: Cells
) -> None:
    assert imputed({f"training_compute_{name}": cell for name, cell in stated.items()}, **EMPTY | bound) == found


def test_who_owns_the_lab_of_a_training_run_decides_with_whom_a_model_is_judged() -> None:
    made = tables_of(
        {
            "gemini": {"organization": "Google DeepMind"}, "palm": {"organization": "Google Research"}, "alone": {},
            "tuned": {"organization": "LMSYS Org", "base_model_id": "gemini"}, "grok": {"organization": "xAI"},
        }
    )  # fmt: skip
    owner = estimation_rows(made, DECLARED).set_index("model_id")["owner"]
    assert owner["gemini"] == owner["palm"] == owner["tuned"] == "Google"
    assert owner["grok"] == "xAI"
    assert owner.isna()["alone"]
