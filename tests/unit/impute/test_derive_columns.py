"""The derived columns: against published numbers, by hand, and all at once on tables of a few models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from derivation import CONSTANTS, GPT3, HARDWARE, INDEX, NAN, PRICES, SCHEMAS, V100, frame, runs_of

from pipeline.frames import Tables, empty_frame
from pipeline.impute import cost
from pipeline.impute.cost import FROM_FLOP, PRINTED, PRODUCT
from pipeline.impute.derive import derive

V100_HOUR = 1.25e14 * 3600  # FLOP at the peak rate
NONE = pd.DataFrame()
Cells = dict[str, object]


# --- Chip-hours, power, energy


SOME = {"training_compute_flop": V100_HOUR * 30}
HOURS: list[tuple[Cells, int, float]] = [
    ({"chip_hours": 5.0, "hardware_quantity": 2.0, "training_hours": 10.0}, PRINTED, 5),
    ({"hardware_quantity": 2.0, "training_hours": 10.0}, PRODUCT, 20),
    ({"hardware_quantity": 2.0, "training_hours": 3 * 8766.5}, FROM_FLOP, NAN),  # more than three years
    (SOME | {"hardware_utilization": 0.5}, FROM_FLOP, 60),
    (SOME | {"hardware_utilization": 1.5}, FROM_FLOP, 80),  # at 0.375
    (SOME, FROM_FLOP, 80),
    (SOME | {"domains": "Games"}, FROM_FLOP, NAN),  # whose chips wait for a simulator
    (SOME | {"chip_hours": 10.0}, PRINTED, 10),  # three times what they can
    (SOME | {"chip_hours": 9.9}, PRINTED, NAN),
]


def test_chip_hours_are_printed_or_multiplied_or_from_flop() -> None:
    usual = {"publication_date": "2020-05-28", "numerical_format": "FP16"}
    made = runs_of(*(usual | cells for cells, _, _ in HOURS))
    assert made["basis"].tolist() == [basis for _, basis, _ in HOURS]
    assert made["chip_hours"].tolist() == pytest.approx([hours for _, _, hours in HOURS], nan_ok=True)
    tuned = runs_of(usual | SOME, usual | SOME | {"chip_hours": 1.0}, has_base=True)
    assert tuned["chip_hours"].tolist() == pytest.approx([NAN, 1], nan_ok=True), "its FLOP are mostly the base's"


# --- Cost


ABOUT = CONSTANTS["cost"]
AWS, AZURE, GOOGLE = "Amazon Web Services", "Microsoft Azure", "Google Cloud"


def priced(*rows: tuple[str, str, str, float, object]) -> Tables:
    names = {"purchase": ("price_usd", "chips")}
    made = [{"hardware": chip, "kind": kind, "price_date": day}
            | dict(zip(names.get(kind, ("price_usd_per_chip_hour", "vendor")), more, strict=True))
            for chip, kind, day, *more in rows]  # fmt: skip
    about = {"series": ABOUT["price_index"], "date": ["2020-01-01", "2023-01-01"], "value": [100.0, 110.0]}
    return {
        "hardware_prices": frame("hardware_prices", *made),
        "price_index": pd.DataFrame(about).astype({"date": "datetime64[s]"}),
        "hardware": HARDWARE,
    }


def run(chip: str = "NVIDIA V100", **other: Any) -> pd.DataFrame:
    days = {name: (np.datetime64(day) - np.datetime64("1970-01-01")).astype(float)
            for name, day in {"day": "2020-06-01", "released": "2017-06-01"}.items()}  # fmt: skip
    about = {"chip": chip, "tdp": 300.0, "is_tpu": "TPU" in chip, "year": 2020.5, "organizations": "Someone",
             "start": days["day"] - 70, "chip_hours": 1000.0, "time": "", "note": "", "fields": "",
             "hours_dex": 0.0}  # fmt: skip
    return pd.DataFrame([about | days | other])


def test_amortized_cost_of_gpt_3() -> None:
    tables = {"hardware_prices": PRICES, "price_index": INDEX, "hardware": HARDWARE}
    made = cost.estimate_amortized(runs_of(GPT3), NONE, tables, CONSTANTS)
    years = (pd.Timestamp("2020-05-28") - pd.Timedelta(days=14 + 60) - pd.Timestamp("2017-09-19")).days / 365.25
    worth = 18625 * 10 ** (-0.14 * years)  # bought 90 days after release
    hourly = worth * 0.14 * np.log(10) / 8766 / 0.81 + 0.3 * 1.67 * 0.75 * 1.15 * 0.0667
    assert made["value"][0] == pytest.approx(3.552e6 * hourly * 117.9 / 113.3)
    assert 1e6 < made["value"][0] < 3e6  # Epoch AI: 2.1 million dollars of 2023


def rented(*rows: tuple[str, str, str, float, object], **other: Any) -> tuple[float, str]:
    made = cost.estimate_rental(run(**other), NONE, priced(*rows), CONSTANTS)
    return made["value"][0] / 1000 / 1.1, made["assumptions"][0]


DEMAND, ONE_YEAR, YEARS = "on_demand", "committed_1_year", "committed_3_years"
OFFERS: list[tuple[str, list[tuple[str, str, float, str]], float, str]] = [
    ("", [(DEMAND, "2019-01-01", 3.0, AWS)], 3.0 * 0.36, f"{AWS} on 2019-01-01"),
    ("", [(ONE_YEAR, "2019-01-01", 2.0, GOOGLE)], 2.0 * 0.698, f"{GOOGLE} on"),
    ("", [(ONE_YEAR, "2019-01-01", 2.0, "Lambda")], 2.0 * 0.667, "Lambda on"),
    ("no discount", [(DEMAND, "2019-01-01", 3.0, "Lambda")], 3.0, "Lambda on"),
    ("longest first", [(DEMAND, "2019-01-01", 3.0, AWS), (YEARS, "2019-01-01", 1.0, GOOGLE)], 1.0, f"{GOOGLE} on"),
    ("preferred", [(DEMAND, "2019-01-01", 3.0, GOOGLE), (DEMAND, "2019-01-01", 3.0, AWS)], 3 * 0.36, f"{AWS} on"),
    ("large", [(DEMAND, "2019-01-01", 3.0, "Lambda"), (DEMAND, "2019-01-01", 3.0, GOOGLE)], 3 * 0.44, f"{GOOGLE} on"),
    # 60 days before the start is the 23rd of January 2020
    ("the last up to it", [(DEMAND, "2019-01-01", 1.0, AWS), (DEMAND, "2020-01-23", 2.0, AWS),
                           (DEMAND, "2020-01-24", 4.0, AWS)], 2.0 * 0.36, "on 2020-01-23"),
    ("else the first", [(DEMAND, "2021-01-01", 2.0, AWS), (DEMAND, "2020-02-01", 4.0, AWS)], 4 * 0.36, "02-01"),
    ("within a year", [(DEMAND, "2021-06-01", 3.0, AWS), (DEMAND, "2021-06-01", 3.0, AZURE)], 3 * 0.36, f"{AWS} on"),
    ("else another", [(DEMAND, "2021-06-02", 3.0, AWS), (DEMAND, "2021-06-01", 3.0, AZURE)], 3 * 0.51, f"{AZURE} on"),
    ("of one day", [(DEMAND, "2019-01-01", usd, AWS) for usd in (1.0, 2.0, 9.0)], 2.0 * 0.36, "2019"),
]  # fmt: skip


@pytest.mark.parametrize(("why", "rows", "hourly", "seen"), OFFERS)
def test_the_price_of_rental(why: str, rows: list[tuple[str, str, float, str]], hourly: float, seen: str) -> None:
    found, assumed = rented(*(("NVIDIA V100", *row) for row in rows))
    assert found == pytest.approx(hourly), why
    assert seen in assumed, why


def test_a_developer_rents_in_its_own_cloud() -> None:
    rows = [("NVIDIA V100", DEMAND, "2019-01-01", 3.0, name) for name in (AWS, AZURE, GOOGLE)]
    for owner, vendor in {"Google DeepMind": GOOGLE, "OpenAI": AZURE, "Meta AI": AWS}.items():
        assert f"at {vendor} on" in rented(*rows, organizations=owner)[1]


def test_no_rental_is_below_the_cost_of_owning() -> None:
    bought = ("NVIDIA V100", "purchase", "2018-01-01", 60000.0, 8.0)
    assert np.isnan(rented(bought, ("NVIDIA V100", "on_demand", "2019-01-01", 3.0, AWS))[0])
    assert rented(bought, ("NVIDIA V100", "on_demand", "2019-01-01", 30.0, AWS))[0] == pytest.approx(30 * 0.36)


# --- All columns at once


def claim(model: str, field: str, **more: object) -> Cells:
    return {"model_id": model, "field": field, "status": "selected", "claim_id": f"{model}-{field}", **more}


@pytest.fixture(scope="module")
def tables() -> Tables:
    """GPT-3, the same with published power, energy and cost, what was made from it, and a model of which nothing is
    known."""
    known = {"domains": "Language", "parameters": 1.75e11, "training_tokens": 3e11, "is_notable": True,
             "training_compute_source": "reported", "training_region": "region"}  # fmt: skip
    printed = {"training_power_w": 5e6, "training_energy_kwh": 1e6, "training_cost_usd": 2e6, "organization": "Other"}
    models = [{"name": "GPT-3", **GPT3, **known}, {**GPT3, **known, **printed, "model_id": "told", "name": "told"}]
    models.append(
        {**GPT3, "model_id": "tuned", "name": "tuned", "base_model_id": "gpt-3", "chip_hours": 1e4, "is_notable": False}
    )
    models.append({"model_id": "bare", "name": "bare", "is_notable": False})
    models = [{"training_run_id": cells["model_id"]} | cells for cells in models]
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
    assert gpt["tokens_per_parameter"] == pytest.approx(3e11 / 1.75e11)
    assert told["flop_per_usd"] == 3.14e23 / 2e6
    assert tables["models"].columns.tolist() == list(SCHEMAS["models"].names)
    power = gpt["training_power_w"]
    assert power == float(f"{power:.12g}"), "the last bits of a product are not published"


def test_each_estimate_says_what_it_rests_on_and_why_it_was_taken(tables: Tables) -> None:
    made = tables["estimates"].set_index("estimate_id")
    assert "told:training_cost_zzz" in made.index, "those of training compute stay"
    one, other = made.loc["gpt-3:training_power_w:chip_power"], made.loc["told:training_power_w:chip_power"]
    assert (one["is_selected"], one["reason"]) == (True, "no published value")
    assert (other["is_selected"], other["reason"]) == (False, "a published value exists")
    assert one["inputs"] == "gpt-3-hardware;gpt-3-hardware_quantity"
    energy = made.loc["gpt-3:training_energy_kwh:chip_energy", "inputs"].split(";")
    assert energy[-1] == "gpt-3:training_power_w:chip_power", "an estimate that was taken is an input, too"
    assert made.loc["told:training_energy_kwh:chip_energy", "inputs"] == "told-training_power_w"


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
    assert set(made["estimates"]["field"]) == {"training_power_w", "training_energy_kwh"}, "no rows without a value"
    assert made["models"].loc[0, ["training_cost_usd", "training_carbon_kg", "days_on_top500_first"]].isna().all()
    assert made["models"].loc[0, "training_power_w"] == pytest.approx(3e6 * 1.82 * PUE)


def ratios(**cells: object) -> pd.Series:
    usual = {"model_id": "m", "name": "m", "training_run_id": "m", "publication_date": "2020-05-28"}
    usual |= {"numerical_format": "FP16", "is_notable": False, "training_cost_usd": 50.0, "training_energy_kwh": 2.0}
    tables = {
        "models": frame("models", usual | cells),
        "claims": frame("claims", *([claim("m", "base_model")] if "base_model_id" in cells else [])),
        "hardware": HARDWARE,
        "model_hardware": frame("model_hardware", {"model_id": "m", "hardware_id": "v100"}),
        "estimates": empty_frame(SCHEMAS["estimates"]),
    }
    return derive(tables, SCHEMAS, CONSTANTS)["models"].iloc[0]


def test_chinchilla_is_compute_optimal_by_its_own_rule() -> None:
    made = ratios(domains="Vision;Language", parameters=7e10, training_tokens=1.4e12)
    assert (made["tokens_per_parameter"], made["tokens_over_optimal"]) == (20, 1)
    assert ratios(domains="Language", parameters=7e10, parameters_active=3.5e10, training_tokens=1.4e12)[
        "tokens_per_parameter"
    ] == pytest.approx(40)
    others = {"domains": "Vision", "parameters": 7e10, "training_tokens": 1.4e12}
    assert pd.isna(ratios(**others)["tokens_over_optimal"]), "tokens of other models are no tokens of text"


MOST = V100_HOUR * 100


@pytest.mark.parametrize(
    ("cells", "flop"),
    [
        ({"chip_hours": 100.0, "training_compute_flop": MOST}, MOST),
        ({"training_compute_flop": MOST}, NAN),  # hours that follow from FLOP say nothing about FLOP per dollar
        ({"chip_hours": 100.0, "training_compute_flop": 9e30, "finetune_compute_flop": MOST / 4,
          "base_model_id": "b"}, MOST / 4),
        ({"chip_hours": 100.0, "training_compute_flop": 1.05 * MOST}, NAN),  # more than they can do
    ],
)  # fmt: skip
def test_flop_per_dollar_are_those_of_the_training_that_was_paid(cells: Cells, flop: float) -> None:
    made = ratios(**cells)
    assert made[["flop_per_usd", "flop_per_wh"]].tolist() == pytest.approx([flop / 50, flop / 2000], nan_ok=True)
