"""One distribution for every model: which estimate it comes from, and what its base, bounds and siblings do to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.impute.bounds import most_by_size, most_flop, not_below_base
from pipeline.impute.intervals import QUANTILES as DEX
from pipeline.impute.methods import base_model
from pipeline.impute.methods.base_model import ALONE
from pipeline.impute.methods.statistical import STARTS
from pipeline.impute.predictions import predict_all
from pipeline.impute.results import ENDS, FIELD
from traincompute.base.distributions import QUANTILES

UP = [0.0, 0.1, 0.2, 0.5, 1.0]  # dex above a base
ABOVE = pd.DataFrame([[base_model.METHOD, ALONE, 30, *UP]], columns=["method", "assumptions", "rows", *DEX])
NARROW, WIDE = (5e21, 9e21, 1e22, 1.1e22, 2e22), (1e20, 1e21, 1e22, 1e23, 1e24)
LOW, HIGH = "training_compute_low", "training_compute_high"


def model(name: str, flop: float = np.nan, source: str | None = None, **more: Any) -> dict[str, Any]:
    about = {"model_id": name, "name": name, "organization": name, "training_run_id": name, "base_model_id": None}
    about |= {FIELD: flop, "training_compute_source": source, LOW: np.nan, HIGH: np.nan}
    return about | {"publication_date": pd.Timestamp("2024-06-01")} | more


def estimate(name: str, method: str, ends: tuple[float, ...] = WIDE, **more: Any) -> dict[str, Any]:
    about = {"model_id": name, "method": method, "field": FIELD, "estimate_id": f"{name}:{method}", "value": 1e22}
    return about | {"is_selected": False, "assumptions": STARTS[5]} | dict(zip(ENDS, ends, strict=True)) | more


def alone(name: str, low: float) -> dict[str, Any]:
    ends = (low, *[np.nan] * 4)
    return estimate(name, base_model.METHOD, ends, value=np.nan, is_selected=True, assumptions=ALONE)


def predict(
    models: list[dict[str, Any]],
    estimates: list[dict[str, Any]],
    above: pd.DataFrame = ABOVE,
    clusters: pd.DataFrame | None = None,
) -> pd.DataFrame:
    regression = [estimate(each["model_id"], "statistical") for each in models]
    known = {(each["model_id"], each["method"]) for each in estimates}
    more = [each for each in regression if (each["model_id"], "statistical") not in known]
    given = pd.DataFrame(models)
    by_size = given.get("most_by_size", pd.Series(np.nan, given.index))
    given = given.assign(most_flop=most_flop(given["publication_date"], clusters), most_by_size=by_size)
    return predict_all(given, pd.DataFrame([*estimates, *more]), above).set_index("model_id")


def dex(row: pd.Series) -> list[float]:
    return list(np.log10(row[QUANTILES].astype("float64")))


def test_each_model_has_one_distribution_from_the_best_that_is_known() -> None:
    models = [model("printed", 1e23, "reported", **{LOW: 5e22, HIGH: 4e23})]
    models += [model("counted", 1e22, "imputed", **{LOW: 5e21, HIGH: 2e22}), model("size"), model("kind"), model("eci")]
    estimates = [
        estimate("counted", "operation_counting", NARROW, is_selected=True, assumptions=""),
        estimate("size", "hardware", NARROW, assumptions=""),  # not taken: it contradicts another
        estimate("kind", "statistical", assumptions=STARTS[-1]),
        estimate("eci", "capability_index", NARROW),
    ]
    found = predict(models, estimates)
    assert found["tier"].to_dict() == {"printed": 0, "counted": 1, "size": 3, "kind": 4, "eci": 3}
    assert found.loc["counted", QUANTILES].tolist() == found.loc["eci", QUANTILES].tolist() == list(NARROW)
    assert found.loc["size", QUANTILES].tolist() == list(WIDE)
    assert found["method"].isna().to_dict() == {name: name == "printed" for name in found.index}


def test_the_base_enters_as_its_distribution() -> None:
    base = model("base", 1e24, "third_party", **{LOW: 1e23, HIGH: 1e25})
    chat = model("chat", base_model_id="base", **{LOW: 1e23})
    found = predict([base, chat], [alone("chat", 1e24)])
    quarter = dex(found.loc["base"])[3] - 24
    expected = [
        24.2 - np.hypot(1, 0.2),
        24.2 - np.hypot(quarter, 0.1),
        24.2,
        24.2 + np.hypot(quarter, 0.3),
        24.2 + np.hypot(1, 0.8),
    ]
    assert dex(found.loc["chat"]) == pytest.approx(expected, abs=0.02)
    assert (found.loc["chat", "tier"], found.loc["chat", "method"]) == (2, base_model.METHOD)
    assert predict([base, chat], [alone("chat", 1e24)], ABOVE[:0]).loc["chat", "tier"] == 3, "nobody knows how far up"


def test_no_quantile_of_what_was_made_from_a_model_is_below_its_own() -> None:
    models = [model("a"), model("b", base_model_id="a"), model("c", base_model_id="b"), model("d", base_model_id="c")]
    found = predict(models, [estimate("a", "capability_index", NARROW), estimate("c", "statistical", (1e18,) * 5)])
    steps = np.diff(found[QUANTILES].to_numpy(), axis=0)
    assert (steps >= 0).all()
    assert found["tier"].tolist() == [3] * 4, "with the base's tier"
    assert found["estimate_id"].tolist() == ["a:capability_index"] * 4


def test_models_that_are_made_from_each_other_keep_their_own() -> None:
    found = predict([model("a", base_model_id="b"), model("b", base_model_id="a")], [])
    assert found[QUANTILES].to_numpy().tolist() == [list(WIDE)] * 2


def test_of_one_version_the_smaller_lies_a_step_below_but_none_below_what_is_known_of_a_smaller() -> None:
    names = ["o3-mini", "o3", "o3-nano", "o3 Ultra"]
    models = [model(name, organization="OpenAI") for name in names]
    free = np.log10(predict(models, [])["flop_50"]).round(2)
    assert free.to_dict() == {"o3-nano": 20.2, "o3-mini": 20.8, "o3": 21.4, "o3 Ultra": 22.0}
    models[2] = model("o3-nano", 3e23, "reported", organization="OpenAI", **{LOW: 2e23, HIGH: 4e23})
    held = np.log10(predict(models, [])["flop_50"])
    assert (held >= held["o3-nano"] - 0.01).all(), "what is known of a small one holds"


def test_nothing_lies_beyond_the_largest_run_of_the_day_nor_below_a_bound() -> None:
    cluster = {
        "cluster_id": "a",
        "name": "a",
        "first_operational_date": pd.Timestamp("2024-01-01"),
        "status": "existing",
    }
    cluster |= {"peak_16bit_ops": 1e15, "single_cluster": "yes", "possible_duplicate": False}
    printed = model("printed", 1e25, "reported", **{LOW: 5e24, HIGH: 2e25})
    models = [
        model("size"),
        model("bound", **{LOW: 3e21}),
        model("before", publication_date=pd.Timestamp("2020-01-01")),
    ]
    found = predict([*models, printed], [], clusters=pd.DataFrame([cluster]))
    most = 1e15 * 180 * 86400 * 0.4 * 10**0.15
    assert found.loc["size", "most_flop"] == pytest.approx(most, rel=0.001)
    assert found.loc["size", "flop_95"] < most
    assert found.loc["bound", "flop_05"] > found.loc["bound", "least_flop"] == 3e21
    assert found.loc["before", QUANTILES].tolist() == list(WIDE), "before the first record there is no limit"
    assert found.loc["printed", "flop_95"] == 2e25, "a published value knows better"


def test_a_model_of_known_size_read_no_more_tokens_than_anybody() -> None:
    known = {"domains": "Language", "parameters": 1e11, "parameters_active": 1e10, "training_tokens": 1e13}
    models = pd.DataFrame([known, known | {"domains": "Vision"}, known | {"parameters": np.nan}])
    models.loc[2, "parameters_active"] = np.nan
    assert most_by_size(models).tolist() == pytest.approx([6 * 1e10 * 1.5e13, np.nan, np.nan], nan_ok=True)
    printed = model("printed", 1e23, "reported", most_by_size=2e22, **{LOW: 5e22, HIGH: 2e23})
    found = predict([model("size", most_by_size=2e22), printed, model("more", most_by_size=1e20, **{LOW: 1e21})], [])
    assert found.loc["size", "flop_95"] < 2e22 < WIDE[-1]
    assert found.loc["printed", "flop_95"] == 2e23, "a published value knows better"
    assert found.loc["more", "flop_95"] > 2e22, "as does what is known as the least"


def ends_of(*rows: dict[str, Any], stated: float = np.nan) -> dict[str, float]:
    models = pd.DataFrame(list(rows))
    estimates = pd.DataFrame([alone("chat", 1e24), estimate("sum", base_model.METHOD, is_selected=True)])
    found, made = not_below_base(models, estimates, pd.Series(stated, index=models.index))
    assert made.loc[0, "low"] == found.set_index("model_id")[LOW].get("chat", 1e24)
    return found.set_index("model_id")[LOW].to_dict()


def test_low_ends_follow_the_bases() -> None:
    base = model("base", 1e24, "reported", **{LOW: 1e23, HIGH: 1e25})
    of_base = {"base_model_id": "base"}
    assert ends_of(base, model("sum", 2e24, "imputed", **of_base, **{LOW: 1e21}))["sum"] == 1e23
    assert ends_of(base, model("out", 1e20, "reported", **of_base, **{LOW: 1e19}))["out"] == 1e19, "it leaves it out"
    assert ends_of(base, model("same", 9.7e23, "reported", **of_base, **{LOW: 3e23}))["same"] == 3e23
    assert ends_of(base, model("chat", **of_base, **{LOW: 1e24}))["chat"] == 1e23, "the base's value is no bound"
    assert ends_of(base, model("chat", **of_base, **{LOW: 1e24}), stated=5e23)["chat"] == 5e23
    unknown = model("base", 1e24, "reported")
    assert ends_of(unknown, model("sum", 2e24, "imputed", **of_base, **{LOW: 1e21}))["sum"] == 1e21
