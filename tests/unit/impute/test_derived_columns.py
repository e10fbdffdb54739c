"""All derived columns at once, on tables of a few models, and the estimates behind them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from derivation import CONSTANTS, GPT3, INDEX, NAN, PRICES, SCHEMAS, V100, frame

from pipeline.frames import Tables
from pipeline.impute.derive.columns import among_all, derive

Cells = dict[str, object]


def test_a_rank_is_among_the_published_values_of_notable_models_until_the_day() -> None:
    cells = [
        ("2020-01-01", 1e20, "reported", True),
        ("2020-01-01", 1e22, "third_party", True),
        ("2021-01-01", 1e21, "reported", True),
        ("2020-06-01", 1e23, "imputed", True),
        ("2022-01-01", 1e23, "reported", False),
        ("2023-01-01", 5e20, "reported", True),
        ("2023-01-01", NAN, None, True),
        (None, 1e25, "reported", True),
    ]
    names = ("publication_date", "training_compute_flop", "training_compute_source", "is_notable")
    models = frame(
        "models", *({"model_id": str(n), **dict(zip(names, row, strict=True))} for n, row in enumerate(cells))
    )
    run = np.array(list("abcdeffg"), dtype=object)
    made = among_all(models, run, CONSTANTS)
    assert made["frontier_rank"].tolist() == pytest.approx([2, 1, 2, NAN, NAN, 3, NAN, NAN], nan_ok=True)
    again = among_all(models, np.array(list("aaaaaaaa"), dtype=object), CONSTANTS)  # of one run, the first alone counts
    assert again["frontier_rank"][:3].tolist() == [1, 1, 1]
    deep, large = (
        "deep_learning",
        "large_scale",
    )  # of 20 and 22 dex the mean is 21, and 23 an imputed value that is scored
    assert made["era_compute"].tolist() == [deep, large, deep, large, deep, deep, deep, None]


def claim(model: str, field: str, **more: object) -> Cells:
    return {"model_id": model, "field": field, "status": "selected", "claim_id": f"{model}-{field}", **more}


@pytest.fixture(scope="module")
def tables() -> Tables:
    """GPT-3, the same with published power, energy and cost, what was made from it, and a model of which nothing is
    known."""
    known = {
        "domains": "Language",
        "parameters": 1.75e11,
        "training_tokens": 3e11,
        "is_notable": True,
        "training_compute_source": "reported",
        "training_region": "region",
    }
    printed = {"training_power_w": 5e6, "training_energy_kwh": 1e6, "training_cost_usd": 2e6, "organization": "Other"}
    models = [{"name": "GPT-3", **GPT3, **known}, {**GPT3, **known, **printed, "model_id": "told", "name": "told"}]
    models.append(
        {**GPT3, "model_id": "tuned", "name": "tuned", "base_model_id": "gpt-3", "chip_hours": 1e4, "is_notable": False}
    )
    models.append({"model_id": "bare", "name": "bare", "is_notable": False})
    claims = [claim("gpt-3", field) for field in ("hardware", "hardware_quantity", "training_hours")]
    claims += [claim("told", "training_power_w", evidence="seen"), claim("told", "training_energy_kwh")]
    claims += [claim("told", "training_cost_usd", correction="c"), claim("tuned", "base_model")]
    claims.append(claim("bare", "base_model", status="alternate"))
    chips = [frame("hardware", {**V100, "a100_equivalents": 0.4, "h100_equivalents": 0.125})]
    mentions = ({"model_id": name, "hardware_id": "v100"} for name in ("gpt-3", "told", "tuned"))
    lists = {"list_date": "2019-11-01", "rmax_first": 1.486e17}
    given = {
        "models": frame("models", *models),
        "claims": frame("claims", *claims),
        "hardware": chips[0],
        "model_hardware": frame("model_hardware", *mentions),
        "supercomputers": frame("supercomputers", lists),
        "estimates": frame(
            "estimates", {"estimate_id": "told:training_cost_zzz", "model_id": "told", "is_selected": False}
        ),
        "hardware_prices": PRICES,
        "price_index": INDEX,
        "grid_regions": frame("grid_regions", {"region_id": "region", "carbon_intensity_g_per_kwh": 500.0}),
    }
    return derive(given, SCHEMAS, CONSTANTS)


PUE = 1.125 - 0.00908 * 148 / 366  # 28 May 2020
ENERGY = 3.552e6 * 300 * 1.82 * PUE * 0.75 / 1000


def test_gaps_are_filled_with_intervals_and_say_whose_values_they_are(tables: Tables) -> None:
    models = tables["models"].set_index("model_id")
    gpt, told = models.loc["gpt-3"], models.loc["told"]
    assert gpt["training_power_w"] == pytest.approx(3e6 * 1.82 * PUE)
    assert gpt["training_power_w_low"] == pytest.approx(3e6 * 1.82 * PUE / 10**0.13)
    assert gpt["training_power_w_high"] == pytest.approx(3e6 * 1.82 * PUE * 10**0.13)
    assert gpt["training_energy_kwh"] == pytest.approx(ENERGY)
    assert gpt["training_carbon_kg"] == pytest.approx(ENERGY * 0.5)
    spread = np.hypot(np.hypot(0.15, 0.13), 0.10)
    assert gpt["training_carbon_kg_high"] / gpt["training_carbon_kg"] == pytest.approx(10**spread)
    assert told["training_carbon_kg_high"] / 5e5 == pytest.approx(10**0.10), "energy that a source states is sure"
    assert told[["training_power_w", "training_energy_kwh", "training_cost_usd"]].tolist() == [5e6, 1e6, 2e6]
    assert told[["training_power_w_low", "training_energy_kwh_high", "training_cost_usd_low"]].isna().all()
    sources = [f"training_{name}_source" for name in ("power", "energy", "carbon", "cost", "cost_cloud")]
    assert gpt[sources].tolist() == ["imputed"] * 5
    assert told[sources].tolist() == ["reported", "third_party", "imputed", "corrected", "imputed"]
    assert models.loc["bare", [*sources, "training_power_w", "training_cost_usd"]].isna().all()


def test_the_other_columns_follow_from_all_the_rest(tables: Tables) -> None:
    models = tables["models"].set_index("model_id")
    gpt, told, tuned = models.loc["gpt-3"], models.loc["told"], models.loc["tuned"]
    assert models["run_scope"].to_dict() == {"bare": "whole", "gpt-3": "whole", "told": "whole", "tuned": "further"}
    assert (gpt["a100_hours"], gpt["h100_hours"]) == (3.552e6 * 0.4, 3.552e6 * 0.125)
    assert (tuned["a100_hours"], gpt["hardware_tdp_w"]) == (4000, 3e6)
    assert told["training_cost_nominal_usd"] == pytest.approx(2e6 / (117.9 / 113.3))
    assert gpt["days_on_top500_first"] == pytest.approx(3.14e23 / (1.486e17 * 86400))
    assert (gpt["era_compute"], gpt["era_economic"]) == ("deep_learning", "bespoke")
    assert models["frontier_rank"].fillna(-1).to_dict() == {"bare": -1, "gpt-3": 1, "told": 1, "tuned": -1}
    assert models["training_run_id"].to_dict() == {"bare": "bare", "gpt-3": "gpt-3", "told": "told", "tuned": "gpt-3"}
    assert gpt["tokens_per_parameter"] == pytest.approx(3e11 / 1.75e11)
    assert told["flop_per_usd"] == 3.14e23 / 2e6
    assert tables["models"].columns.tolist() == list(SCHEMAS["models"].names)
    power = gpt["training_power_w"]
    assert power == float(f"{power:.12g}"), "the last bits of a product are not published"


def test_each_estimate_says_what_it_rests_on_and_why_it_was_taken(tables: Tables) -> None:
    made = tables["estimates"].set_index("estimate_id")
    assert made.index.is_monotonic_increasing
    assert tables["estimates"].index.tolist() == list(range(len(made)))
    assert "told:training_cost_zzz" in made.index, "those of training compute stay"
    one, other = made.loc["gpt-3:training_power_w:chip_power"], made.loc["told:training_power_w:chip_power"]
    assert (one["unit"], one["method"], one["field"]) == ("W", "chip_power", "training_power_w")
    assert (one["is_selected"], one["reason"]) == (True, "no published value")
    assert (other["is_selected"], other["reason"]) == (False, "a published value exists")
    assert one["inputs"] == "gpt-3-hardware;gpt-3-hardware_quantity"
    assert pd.isna(one["disagreement_dex"])
    assert other["disagreement_dex"] == pytest.approx(np.log10(3e6 * 1.82 * PUE / 5e6), abs=1e-8)
    energy = made.loc["gpt-3:training_energy_kwh:chip_energy", "inputs"].split(";")
    assert energy[-1] == "gpt-3:training_power_w:chip_power", "an estimate that was taken is an input, too"
    assert made.loc["told:training_energy_kwh:chip_energy", "inputs"] == "told-training_power_w"
    assert set(made.index.str.split(":").str[0]) == {"gpt-3", "told", "tuned"}
    assert (made["value"].notna() | made.index.str.endswith("zzz")).all()


def test_what_a_small_checkout_lacks_counts_as_empty(tables: Tables) -> None:
    models = frame("models", {**GPT3, "name": "GPT-3", "is_notable": True})
    less = {
        "models": models,
        "claims": tables["claims"][:0],
        "hardware": tables["hardware"],
        "model_hardware": tables["model_hardware"],
        "estimates": tables["estimates"][:0],
    }
    made = derive(less, SCHEMAS, CONSTANTS)
    assert set(made) == set(less), "nothing is added"
    assert made["models"].loc[0, ["training_cost_usd", "training_carbon_kg", "days_on_top500_first"]].isna().all()
    assert made["models"].loc[0, "training_power_w"] == pytest.approx(3e6 * 1.82 * PUE)
