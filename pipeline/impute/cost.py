"""Cost of the training compute, in US dollars of one year, after Cottier et al. 2024 (arXiv:2405.21015, section 2).

Amortised hardware and energy: value of a chip in its server at the start of training · (0.14 · ln 10) per year ÷ 8,766
h ÷ 0.81 for the interconnect, plus the electricity for a chip-hour; times chip-hours. The value falls by 0.14 orders of
magnitude per year after the purchase. Cloud rental: price per chip-hour with a three-year commitment times chip-hours.
Both are nominal, then converted to dollars of that year with the producer price index of the month of publication.
Arguments and results are those of power.py."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pandas as pd

from pipeline.config import Constants
from pipeline.frames import Tables
from pipeline.impute.power import by_word, day_numbers, texts

HOURS_PER_YEAR, DAYS_PER_YEAR = 8766, 365.25
SERVER_CHIPS = 4  # a price derived from a machine with at least this many chips includes the chip's share of the server
OF_SERVER, OF_CHIP = "price of a server with the chip", "price of the chip alone, with the usual server"
BY_FAMILY = ["family", "priority", "day", "chips", "price_usd"]


def estimate_amortized(runs: pd.DataFrame, filled: pd.DataFrame, tables: Tables, constants: Constants) -> pd.DataFrame:
    """Dollars, for the runs with known chip-hours and a known price of the chip."""
    about, load, bands = constants["cost"], constants["energy"]["load"], constants["cost"]["band_dex"]
    rows = with_prices(runs[runs["chip_hours"].notna()], tables, about).dropna(subset="paid")
    # TPUs: their maker has them before
    start = rows["start"].where(rows["is_tpu"] | ~(rows["start"] < rows["bought"]), rows["bought"])
    years = (start - rows["bought"]) / DAYS_PER_YEAR
    worth = rows["paid"] * 10 ** (-about["orders_of_magnitude_per_year"] * years)
    lost = about["orders_of_magnitude_per_year"] * log(10) / HOURS_PER_YEAR  # if replaced at the best time
    hourly = worth * lost / (1 - about["interconnect_share"])
    # per kW of a server's rated power: its mean load, the PUE and the year's price of electricity
    by_year = pd.Series(about["electricity_usd_per_kwh"])
    price = rows["year"].astype("int64").clip(by_year.index.min(), by_year.index.max()).map(by_year)
    per_kw = price * about["pue"] * np.where(rows["is_tpu"], load["TPU"], load["default"])
    power_ratio = by_word(rows["chip"], about["server_power"]).astype("float64")
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


def families(chips: pd.Series, about: Any) -> pd.Series:
    """The first of the declared families that occurs in the name of each chip, else the name itself."""
    words = {word: word for word in about["families"]} | {"default": None}
    return by_word(chips, words).fillna(chips)


def with_prices(rows: pd.DataFrame, tables: Tables, about: Any) -> pd.DataFrame:
    """The runs with what was `paid` for one chip with its share of a server, the day from which it is available
    (`bought`), and what was `priced`: a whole server of the chip's family first, else a single chip times the usual
    ratio; of these the earliest, then the largest. A price from long before its chip was released is another chip's."""
    prices, hardware = tables["hardware_prices"], tables["hardware"]
    released = hardware.drop_duplicates("name").set_index("name")["release_date"].reindex(prices["hardware"])
    ahead = day_numbers(released) - day_numbers(prices["price_date"])
    some = prices[(prices["kind"] == "purchase").to_numpy() & ~(ahead > about["days_before_release"])]
    sold = some.assign(
        family=families(some["hardware"], about),
        priority=~(some["chips"] >= SERVER_CHIPS),
        day=day_numbers(some["price_date"]),
        chips=some["chips"].fillna(0),
    ).sort_values(BY_FAMILY, ascending=[True, True, True, False, True])
    first = sold.drop_duplicates("family").set_index("family").reindex(families(rows["chip"], about))
    paid, day, alone = (first[name].set_axis(rows.index) for name in ("price_usd", "day", "priority"))
    alone = alone.eq(True)
    in_quantity = np.fmax(day, rows["released"] + about["days_after_release"])
    return rows.assign(
        paid=paid * by_word(rows["chip"], about["server_price"]).astype("float64").where(alone, 1),
        bought=in_quantity.mask(rows["is_tpu"], rows["released"].fillna(day)),
        priced=np.where(alone, OF_CHIP, OF_SERVER),
    )


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
    rows = with_offers(runs[runs["chip_hours"].notna()], tables["hardware_prices"], constants)
    deflator = deflators(rows["day"], tables["price_index"], constants["cost"])
    value = rows["chip_hours"] * rows["hourly"] * deflator
    owned = estimate_amortized(runs, filled, tables, constants)["value"].reindex(rows.index)
    offered_on = rows["offered"].to_numpy().astype("int64").astype("datetime64[D]")
    made = {
        "value": value.mask(value < owned),
        "band": np.hypot(constants["cloud"]["band_dex"], rows["hours_dex"]),
        "formula": rows["time"] + " × " + texts("{:.4g} USD/h × {:.4g} price index", rows["hourly"], deflator),
        "assumptions": texts("three years' commitment at {} on {}", rows["vendor"], offered_on) + rows["note"],
        "fields": rows["fields"],
    }
    return pd.DataFrame(made, rows.index)


def with_offers(rows: pd.DataFrame, prices: pd.DataFrame, constants: Constants) -> pd.DataFrame:
    """The runs for which there is an offer, with hourly (USD per chip-hour under a three-year commitment), vendor and
    the day when it was `offered`: the last offer up to the contract, else the first until a year after the publication.
    Longer commitments come first, then the developer's own cloud, then the usual vendors, then the others."""
    cloud, about = constants["cloud"], constants["cost"]
    kinds = cloud["to_three_years"]
    offers = prices[(prices["kind"].isin(list(kinds)) & prices["vendor"].notna()).to_numpy()]
    shares = pd.Series(np.nan, offers.index)
    for kind, table in kinds.items():
        shares = shares.mask(offers["kind"] == kind, by_word(offers["vendor"], table).astype("float64"))
    offers = offers.assign(
        hourly=offers["price_usd_per_chip_hour"] * shares,
        family=families(offers["hardware"], about),
        commitment=offers["kind"].map({kind: place for place, kind in enumerate(kinds)}),
        usual=offers["vendor"].map({name: place for place, name in enumerate(cloud["vendors"])}),
        offered=day_numbers(offers["price_date"]),
    )
    each = offers.groupby(["family", "commitment", "usual", "vendor", "offered"], dropna=False)["hourly"].median()
    asked = rows.assign(
        run=rows.index,
        own=by_word(rows["organizations"], cloud["vendor_of"] | {"default": cloud["vendors"][0]}),
        family=families(rows["chip"], about),
        contract=rows["start"] - cloud["days_before_training"],
    )
    pairs = asked.merge(each.reset_index(), on="family")
    pairs = pairs[pairs["offered"] <= pairs["day"] + cloud["days_after_publication"]]
    late = pairs["offered"] > pairs["contract"]
    apart = (pairs["offered"] - pairs["contract"]).abs()
    pairs = pairs.assign(late=late, apart=apart, other=pairs["vendor"] != pairs["own"])
    pairs = pairs.sort_values(["run", "commitment", "other", "usual", "vendor", "late", "apart"])
    made: pd.DataFrame = pairs.drop_duplicates("run").set_index("run").rename_axis(None)
    return made
