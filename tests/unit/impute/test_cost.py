"""Cost by hand: which price is taken of several, from which day on, and what it becomes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.config import load_constants
from pipeline.frames import empty_frame
from pipeline.impute.derive import cost
from pipeline.impute.derive.runs import FROM_FLOP, PRINTED
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas

CONSTANTS = load_constants(Paths(CHECKOUT))
ABOUT = CONSTANTS["cost"]
EMPTY = empty_frame(load_schemas(Paths(CHECKOUT))["hardware_prices"])
INDEX = pd.DataFrame(
    {"series": ABOUT["price_index"], "date": pd.to_datetime(["2020-01-01", "2023-01-01"]), "value": [100.0, 110.0]}
)
AWS, AZURE, GOOGLE = "Amazon Web Services", "Microsoft Azure", "Google Cloud"


def prices(*rows: tuple[str, str, str, float, object]) -> pd.DataFrame:
    """(chip, kind, day, USD, chips of a purchase or vendor of a rental) as a table."""
    made = [
        {"hardware": chip, "kind": kind, "price_date": day}
        | (
            {"price_usd": usd, "chips": more}
            if kind == "purchase"
            else {"price_usd_per_chip_hour": usd, "vendor": more}
        )
        for chip, kind, day, usd, more in rows
    ]
    return pd.DataFrame(made).reindex(columns=EMPTY.columns).astype(EMPTY.dtypes.to_dict())


def run(chip: str = "NVIDIA V100", day: str = "2020-06-01", **other: Any) -> dict[str, np.ndarray]:
    """One run of 1,000 chip-hours in ten days, as `training_runs` gives it."""
    about = {
        "row": 0,
        "chip": chip,
        "tdp": 300.0,
        "released": np.datetime64("2017-06-01"),
        "is_tpu": "TPU" in chip,
        "date": np.datetime64(day),
        "year": 2020.5,
        "organizations": "Someone",
        "quantity": np.nan,
        "hours": 240.0,
        "printed": 1000.0,
        "chip_hours": 1000.0,
        "basis": PRINTED,
        "flop": np.nan,
        "share": 0.4,
        "peak": 1e14,
        "peak_of_share": 1e14,
    } | other
    texts = {"chip", "organizations"}
    return {name: np.array([value], dtype=object if name in texts else None) for name, value in about.items()}


def rented(*rows: tuple[str, str, str, float, object], **other: Any) -> tuple[float, str]:
    """Price per hour under three years' commitment, and what is assumed, of one run."""
    made = cost.estimate_rental(run(**other), prices(*rows), INDEX, CONSTANTS)
    return made["value"][0] / 1000 / 1.1, made["assumptions"][0]


def test_a_price_more_than_a_year_before_the_release_is_another_chips() -> None:
    table = prices(
        *[("NVIDIA V100", "purchase", day, 6000.0, 8.0) for day in ("2016-05-31", "2016-06-01", "2018-01-01")]
    )
    chips = pd.DataFrame({"name": ["NVIDIA V100"], "release_date": pd.to_datetime(["2017-06-01"])})
    assert cost.of_sold_chips(table, chips, CONSTANTS)["price_date"].tolist() == table["price_date"].tolist()[1:]
    assert len(cost.of_sold_chips(table, chips.iloc[:0], CONSTANTS)) == 3


@pytest.mark.parametrize(
    ("chip", "year", "electricity", "band"),
    [
        ("NVIDIA V100", 2020.5, 0.3 * 1.67 * 0.75 * 1.15 * 0.0667, 0.30),
        ("NVIDIA V100", 2009.5, 0.3 * 1.67 * 0.75 * 1.15 * 0.0677, 0.30),
        ("NVIDIA V100", 2030.5, 0.3 * 1.67 * 0.75 * 1.15 * 0.0826, 0.30),
        ("Google TPU v3", 2020.5, 0.3 * 1.47 * 0.43 * 1.15 * 0.0667, 0.60),
    ],
)
def test_an_hour_costs_what_the_chip_loses_and_the_electricity(
    chip: str, year: float, electricity: float, band: float
) -> None:
    """Bought on the day on which training starts, so that nothing was lost before."""
    at = run(chip, year=year, released=np.datetime64("2020-03-23"))
    made = cost.estimate_amortized(
        at | ({} if "TPU" in chip else {"released": np.array(["NaT"], dtype="datetime64[D]")}),
        prices((chip, "purchase", "2020-03-23", 8766.0, 8.0)),
        INDEX,
        CONSTANTS,
    )
    assert made["value"][0] == pytest.approx(1000 * (0.14 * np.log(10) / 0.81 + electricity) * 1.1)
    assert made["band"][0] == pytest.approx(band)
    assert made["assumptions"][0] == cost.OF_SERVER


def test_chip_hours_from_flop_widen_both() -> None:
    made = cost.estimate_amortized(
        run(basis=FROM_FLOP), prices(("NVIDIA V100", "purchase", "2018-01-01", 6000.0, 8.0)), INDEX, CONSTANTS
    )
    assert made["band"][0] == pytest.approx(np.hypot(0.30, 0.30))
    assert made["assumptions"][0] == cost.OF_SERVER + ";chip-hours worked out from FLOP"
    offer = prices(("NVIDIA V100", "on_demand", "2018-01-01", 3.0, AWS))
    assert cost.estimate_rental(run(basis=FROM_FLOP), offer, INDEX, CONSTANTS)["band"][0] == pytest.approx(
        np.hypot(0.30, 0.30)
    )


@pytest.mark.parametrize(
    ("rows", "hourly", "seen"),
    [
        ((("on_demand", "2019-01-01", 3.0, AWS),), 3.0 * 0.36, f"{AWS} on 2019-01-01"),
        ((("committed_1_year", "2019-01-01", 2.0, GOOGLE),), 2.0 * 0.698, f"{GOOGLE} on 2019-01-01"),
        ((("committed_1_year", "2019-01-01", 2.0, "Lambda"),), 2.0 * 0.667, "Lambda on 2019-01-01"),
        # a longer commitment before the preferred vendor, and that before the others in their order
        (
            (("on_demand", "2019-01-01", 3.0, AWS), ("committed_3_years", "2019-01-01", 1.0, GOOGLE)),
            1.0,
            f"{GOOGLE} on",
        ),
        ((("on_demand", "2019-01-01", 3.0, GOOGLE), ("on_demand", "2019-01-01", 3.0, AWS)), 3 * 0.36, f"{AWS} on"),
        ((("on_demand", "2019-01-01", 3.0, GOOGLE), ("on_demand", "2019-01-01", 3.0, AZURE)), 3 * 0.51, f"{AZURE} on"),
        ((("on_demand", "2019-01-01", 3.0, "Lambda"), ("on_demand", "2019-01-01", 3.0, GOOGLE)), 3 * 0.44, f"{GOOGLE}"),
        # the last up to 60 days before the start, which is the 23rd of January 2020
        (
            tuple(
                ("on_demand", day, usd, AWS)
                for day, usd in (("2019-01-01", 1.0), ("2020-01-23", 2.0), ("2020-01-24", 4.0))
            ),
            2.0 * 0.36,
            "on 2020-01-23",
        ),
        # the first after it, where there is none
        (
            tuple(("on_demand", day, usd, AWS) for day, usd in (("2021-01-01", 2.0), ("2020-02-01", 4.0))),
            4 * 0.36,
            "02-01",
        ),
        # another vendor's, where the preferred one's is of more than a year after the publication
        (
            (("on_demand", "2021-06-01", 3.0, AWS), ("on_demand", "2021-06-01", 3.0, AZURE)),
            3.0 * 0.36,
            f"{AWS} on 2021-06-01",
        ),
        (
            (("on_demand", "2021-06-02", 3.0, AWS), ("on_demand", "2021-06-01", 3.0, AZURE)),
            3.0 * 0.51,
            f"{AZURE} on 2021-06-01",
        ),
        # what others than the three large clouds list has no discount
        ((("on_demand", "2019-01-01", 3.0, "Lambda"),), 3.0, "Lambda on"),
        # several of a day
        (tuple(("on_demand", "2019-01-01", usd, AWS) for usd in (1.0, 2.0, 9.0)), 2.0 * 0.36, "2019"),
    ],
)
def test_the_price_of_rental(rows: tuple[tuple[str, str, float, str], ...], hourly: float, seen: str) -> None:
    found, assumed = rented(*(("NVIDIA V100", kind, day, usd, vendor) for kind, day, usd, vendor in rows))
    assert found == pytest.approx(hourly)
    assert assumed.startswith("three years' commitment at ")
    assert seen in assumed


@pytest.mark.parametrize(
    ("owner", "vendor"), [("Google DeepMind", GOOGLE), ("DeepMind", GOOGLE), ("OpenAI", AZURE), ("Meta AI", AWS)]
)
def test_a_developer_rents_in_its_own_cloud(owner: str, vendor: str) -> None:
    rows = [("NVIDIA V100", "on_demand", "2019-01-01", 3.0, name) for name in (AWS, AZURE, GOOGLE)]
    assert f"at {vendor} on" in rented(*rows, organizations=owner)[1]


def test_no_rental_is_below_the_cost_of_owning() -> None:
    owned = {"row": np.array([1, 2, 4]), "value": np.array([10.0, 10.0, 10.0])}
    rented = {"row": np.array([1, 2, 3]), "value": np.array([9.9, 10.0, 1.0])}
    assert cost.not_below(rented, owned)["value"] == pytest.approx([np.nan, 10, 1], nan_ok=True)
