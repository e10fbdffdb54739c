"""Cost of the training compute, in US dollars of one year, after Cottier et al. 2024 (arXiv:2405.21015, section 2).

Amortised hardware and energy: value of a chip in its server at the start of training · (0.14 · ln 10) per year ÷ 8,766
h ÷ 0.81 for the interconnect, plus the electricity for a chip-hour; times chip-hours. The value falls by 0.14 orders of
magnitude per year after the purchase. Cloud rental: price per chip-hour with a three-year commitment times chip-hours.
Both are nominal, then converted to dollars of that year with the producer price index of the month of publication.
Arguments and results are those of power.py."""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from typing import Any, cast

import numpy as np
import pandas as pd

from pipeline.config import Constants
from pipeline.impute.chips import by_word, day_numbers, texts

Tables = Mapping[str, pd.DataFrame]
HOURS_PER_YEAR, DAYS_PER_YEAR = 8766, 365.25
SERVER_CHIPS = 4  # a price derived from a machine with at least this many chips includes the chip's share of the server
OF_SERVER, OF_CHIP = "price of a server with the chip", "price of the chip alone, with the usual server"


def estimate_amortized(runs: pd.DataFrame, filled: pd.DataFrame, tables: Tables, constants: Constants) -> pd.DataFrame:
    """Dollars, for the runs with known chip-hours and a known price of the chip."""
    about, load, bands = constants["cost"], constants["energy"]["load"], constants["cost"]["band_dex"]
    offers = purchase_prices(runs, sold_chips(tables, about), about)
    rows = runs[runs["chip"].isin(offers.index) & runs["chip_hours"].notna()]
    rows = rows.join(offers.reindex(rows["chip"]).set_axis(rows.index))
    power_ratio = np.array([by_word(name, about["server_power"]) for name in rows["chip"]], dtype="float64")
    start = training_start(rows, about)
    start = start.where(rows["is_tpu"] | ~(start < rows["bought"]), rows["bought"])  # TPUs: their maker has them before
    years = (start - rows["bought"]) / DAYS_PER_YEAR
    worth = rows["paid"] * 10 ** (-about["orders_of_magnitude_per_year"] * years)
    lost = about["orders_of_magnitude_per_year"] * log(10) / HOURS_PER_YEAR  # if replaced at the best time
    hourly = worth * lost / (1 - about["interconnect_share"])
    # per kW of a server's rated power: its mean load, the PUE and the year's price of electricity
    by_year = pd.Series(about["electricity_usd_per_kwh"])
    price = rows["year"].astype("int64").clip(by_year.index.min(), by_year.index.max()).map(by_year)
    per_kw = price * about["pue"] * np.where(rows["is_tpu"], load["TPU"], load["default"])
    electricity = rows["tdp"].fillna(0) / 1000 * power_ratio * per_kw
    deflator = deflators(rows["day"], tables["price_index"], about)
    text = "({:.4g} USD/h of {:.4g} USD + {:.4g} USD/h of electricity) × {:.4g} price index"
    made = {
        "value": rows["chip_hours"] * (hourly + electricity) * deflator,
        "band": np.hypot(np.where(rows["is_tpu"], bands["TPU"], bands["default"]), rows["hours_dex"]),
        "formula": rows["time"] + " × " + texts(text, hourly, worth, electricity, deflator),
        "assumptions": rows["priced"] + rows["note"],
        "fields": rows["fields"],
    }
    return pd.DataFrame(made, rows.index)


def training_start(rows: pd.DataFrame, about: Any) -> pd.Series:
    """The day: publication minus the duration (the usual one where unknown) and 60 days."""
    days = rows["hours"].fillna(about["usual_training_hours"]) // 24
    start: pd.Series = rows["day"] - days - about["days_before_publication"]
    return start


def sold_chips(tables: Tables, about: Any) -> pd.DataFrame:
    """The prices of purchases by the family of their chip, the earliest and largest first, without those of a day long
    before their chip was released, which are another chip's."""
    prices, hardware = tables["hardware_prices"], tables["hardware"]
    released = hardware.drop_duplicates("name").set_index("name")["release_date"].reindex(prices["hardware"])
    ahead = day_numbers(released) - day_numbers(prices["price_date"])
    some = prices[(prices["kind"] == "purchase").to_numpy() & ~(ahead > about["days_before_release"])]
    sold: pd.DataFrame = some.assign(
        chips=some["chips"].fillna(0),
        day=day_numbers(some["price_date"]),
        family=[family_of(name, about["families"]) for name in some["hardware"]],
    )
    return sold.sort_values(["day", "chips", "price_usd"], ascending=[True, False, True]).set_index("family")


def family_of(name: str, words: list[str]) -> str:
    """The first of the words that occurs in the name of a chip, else the name itself."""
    return next((word for word in words if word in name), name)


def purchase_prices(runs: pd.DataFrame, sold: pd.DataFrame, about: Any) -> pd.DataFrame:
    """By chip: `paid` for one chip with its share of a server, the day from which it is available (`bought`), and what
    was `priced`: a whole server of the chip's family first, else a single chip times the usual ratio."""
    servers, singles = (some[~some.index.duplicated()] for some in (sold[sold["chips"] >= SERVER_CHIPS], sold))
    found: dict[str, tuple[float, float, str]] = {}
    each = runs.drop_duplicates("chip")
    for name, released, is_tpu in zip(each["chip"], each["released"], each["is_tpu"], strict=True):
        family = family_of(name, about["families"])
        if family in singles.index:
            is_server = family in servers.index
            offer = (servers if is_server else singles)[["price_usd", "day"]].loc[[family]].to_numpy("float64")
            paid, bought = offer[0].tolist()
            if not np.isnan(released):  # not before it is sold in quantity
                bought = released if is_tpu else max(bought, released + about["days_after_release"])
            ratio = 1 if is_server else by_word(name, about["server_price"])
            found[name] = (paid * ratio, bought, OF_SERVER if is_server else OF_CHIP)
    made = pd.DataFrame.from_dict(found, orient="index", columns=["paid", "bought", "priced"])
    return made.astype({"paid": "float64", "bought": "float64", "priced": "str"})


def deflators(days: pd.Series, index: pd.DataFrame, about: Any) -> pd.Series:
    """The value of a nominal dollar of each month in dollars of the reference year; outside the range of the index, its
    first or last month is used; null without an index and for no day."""
    if not len(index):
        return pd.Series(np.nan, days.index)
    series = index[(index["series"] == about["price_index"]).to_numpy()].sort_values("date")
    values, target = series["value"].to_numpy(), series["value"][series["date"].dt.year == about["dollars_of"]].mean()
    place = np.searchsorted(day_numbers(series["date"]), days, side="right") - 1
    return pd.Series(target / values[place.clip(0)], days.index).where(days.notna())


def estimate_rental(runs: pd.DataFrame, filled: pd.DataFrame, tables: Tables, constants: Constants) -> pd.DataFrame:
    """The same for cloud rental; null where all known prices are of later than a year after the publication, and where
    it is below that of owning the chips for the same hours: nobody rents them out for less than they cost, so that the
    price is of another time or of chips that were used before."""
    about, cloud = constants["cost"], constants["cloud"]
    rows = runs[runs["chip_hours"].notna()]
    rows = last_offers(rows, rental_offers(tables["hardware_prices"], constants), constants).dropna(subset="hourly")
    deflator = deflators(rows["day"], tables["price_index"], about)
    value = rows["chip_hours"] * rows["hourly"] * deflator
    owned = estimate_amortized(runs, filled, tables, constants)["value"].reindex(rows.index)
    offered_on = rows["offered"].to_numpy().astype("int64").astype("datetime64[D]")
    made = {
        "value": value.mask(value < owned),
        "band": np.hypot(cloud["band_dex"], rows["hours_dex"]),
        "formula": rows["time"] + " × " + texts("{:.4g} USD/h × {:.4g} price index", rows["hourly"], deflator),
        "assumptions": texts("three years' commitment at {} on {}", rows["vendor"], offered_on) + rows["note"],
        "fields": rows["fields"],
    }
    return pd.DataFrame(made, rows.index)


def last_offers(rows: pd.DataFrame, offers: pd.DataFrame, constants: Constants) -> pd.DataFrame:
    """The runs with hourly (USD), vendor and the day when it was `offered`: the last offer up to the contract, else the
    first until a year after the publication. Longer commitments come first, then the developer's own cloud, then the
    usual vendors, then the others; null where none has an offer: prices of another time differ."""
    families, cloud = constants["cost"]["families"], constants["cloud"]
    vendor_of = cloud["vendor_of"] | {"default": cloud["vendors"][0]}
    contract = (training_start(rows, constants["cost"]) - cloud["days_before_training"]).to_numpy()
    latest = (rows["day"] + cloud["days_after_publication"]).to_numpy()
    found: dict[str, np.ndarray] = {name: np.full(len(rows), np.nan) for name in ("hourly", "offered")}
    found["vendor"] = np.full(len(rows), "", dtype=object)
    family = rows["chip"].map({name: family_of(name, families) for name in rows["chip"].unique()})
    asked = rows["organizations"].map({name: by_word(name, vendor_of) for name in rows["organizations"].unique()})
    for group, part in rows.groupby([family, asked]).indices.items():
        name, vendor = cast("tuple[str, str]", group)
        some = offers[offers["family"] == name]
        order = [vendor, *cloud["vendors"], *some["vendor"].sort_values()]
        some = some.assign(preference=[order.index(each) for each in some["vendor"]])
        for _, listed in some.groupby(["kind_preference", "preference"]):
            place = np.maximum(np.searchsorted(listed["offered"], contract[part], side="right") - 1, 0)
            fits = np.isnan(found["hourly"][part]) & (listed["offered"].to_numpy()[place] <= latest[part])
            for column, values in found.items():
                values[part[fits]] = listed[column].to_numpy()[place[fits]]
    return rows.assign(**found)


def rental_offers(prices: pd.DataFrame, constants: Constants) -> pd.DataFrame:
    """family of the chip, kind_preference, vendor, day (`offered`) and `hourly`, USD per chip-hour under a three-year
    commitment: the median of several offers of one day; by day."""
    kinds, families = constants["cloud"]["to_three_years"], constants["cost"]["families"]
    offered = prices[(prices["kind"].isin(list(kinds)) & prices["vendor"].notna()).to_numpy()]
    shares = [by_word(vendor, kinds[kind]) for kind, vendor in zip(offered["kind"], offered["vendor"], strict=True)]
    offered = offered.assign(
        hourly=offered["price_usd_per_chip_hour"] * np.array(shares, dtype="float64"),
        family=[family_of(name, families) for name in offered["hardware"]],
        kind_preference=[list(kinds).index(kind) for kind in offered["kind"]],
        offered=day_numbers(offered["price_date"]),
    )
    return offered.groupby(["family", "kind_preference", "vendor", "offered"])["hourly"].median().reset_index()
