"""Cost of the training compute, in US dollars of one year, after Cottier et al. 2024 (arXiv:2405.21015, section 2).

Amortised hardware and energy: value of a chip in its server at the start of training · (0.14 · ln 10) per year ÷ 8,766
h ÷ 0.81 for the interconnect, plus the electricity for a chip-hour; times chip-hours. The value falls by 0.14 orders of
magnitude per year after the purchase. Cloud rental: price per chip-hour with a three-year commitment times chip-hours.
Both are nominal, then converted to dollars of that year with the producer price index of the month of publication."""

from math import log
from typing import Any, cast

import numpy as np
import pandas as pd

from pipeline.config import Constants
from pipeline.impute.derive.runs import Arrays, by_word, from_flop_note, hours_fields, hours_texts, subset, texts, wider

HOURS_PER_YEAR, DAYS_PER_YEAR = 8766, 365.25
SERVER_CHIPS = 4  # a price derived from a machine with at least this many chips includes the chip's share of the server
OF_SERVER, OF_CHIP = "price of a server with the chip", "price of the chip alone, with the usual server"


def of_sold_chips(prices: pd.DataFrame, hardware: pd.DataFrame, constants: Constants) -> pd.DataFrame:
    """The prices without those of a day long before their chip was released, which are another chip's."""
    released = hardware.drop_duplicates("name").set_index("name")["release_date"].reindex(prices["hardware"])
    ahead = (released.to_numpy() - prices["price_date"].to_numpy()) / np.timedelta64(1, "D")
    own: pd.DataFrame = prices[~(ahead > constants["cost"]["days_before_release"])]
    return own


def estimate_amortized(runs: Arrays, prices: pd.DataFrame, index: pd.DataFrame, constants: Constants) -> Arrays:
    """Dollars, for the runs with known chip-hours and a known price of the chip (columns as in power.py)."""
    about = constants["cost"]
    offers = purchase_prices(runs, prices, about)
    known = np.array([name in offers for name in runs["chip"]], dtype="bool") & ~np.isnan(runs["chip_hours"])
    rows = subset(runs, known)
    offered = pd.DataFrame([offers[name] for name in rows["chip"]], columns=["paid", "bought", "note"])
    paid, bought = offered["paid"].to_numpy("float64"), offered["bought"].to_numpy("datetime64[D]")
    power_ratio = np.array([by_word(name, about["server_power"]) for name in rows["chip"]], dtype="float64")
    years = (training_start(rows, about, bought) - bought).astype("int64") / DAYS_PER_YEAR
    worth = paid * 10 ** (-about["orders_of_magnitude_per_year"] * years)
    lost = about["orders_of_magnitude_per_year"] * log(10) / HOURS_PER_YEAR  # if replaced at the best time
    hourly = worth * lost / (1 - about["interconnect_share"])
    # per kW of a server's rated power: its mean load, the PUE and the year's price of electricity
    by_year, load = pd.Series(about["electricity_usd_per_kwh"]), constants["energy"]["load"]
    year = rows["year"].astype("int64").clip(by_year.index.min(), by_year.index.max())
    per_kw = by_year[year].to_numpy() * about["pue"] * np.where(rows["is_tpu"], load["TPU"], load["default"])
    electricity = np.nan_to_num(rows["tdp"]) / 1000 * power_ratio * per_kw
    deflator = deflators(rows["date"], index, about)
    numbers = [column.tolist() for column in (hourly, worth, electricity, deflator)]
    template = "({:.4g} USD/h of {:.4g} USD + {:.4g} USD/h of electricity) × {:.4g} price index"
    bands = about["band_dex"]
    return {
        "row": rows["row"],
        "value": rows["chip_hours"] * (hourly + electricity) * deflator,
        "band": wider(np.where(rows["is_tpu"], bands["TPU"], bands["default"]), rows, constants),
        "formula": hours_texts(rows) + " × " + texts(template, *numbers),
        "assumptions": offered["note"].to_numpy(dtype=object) + from_flop_note(rows),
        "fields": hours_fields(rows),
    }


def training_start(rows: Arrays, about: Any, bought: np.ndarray | None = None) -> np.ndarray:
    """Publication minus the duration (the usual one where unknown) and 60 days, but not before the chip was bought,
    except for TPUs, which their maker has before it sells them."""
    hours = np.where(np.isnan(rows["hours"]), about["usual_training_hours"], rows["hours"])
    start: np.ndarray = rows["date"] - (hours // 24).astype("timedelta64[D]") - about["days_before_publication"]
    return start if bought is None else np.where(~rows["is_tpu"] & (start < bought), bought, start)


def family_of(name: str, words: list[str]) -> str:
    """The first of the words that occurs in the name of a chip, else the name itself."""
    return next((word for word in words if word in name), name)


def purchase_prices(runs: Arrays, prices: pd.DataFrame, about: Any) -> dict[str, tuple[float, Any, str]]:
    """By chip: the price of one chip with its share of a server, the day from which it is available, and what was
    priced.

    The price is the first of a whole server of the chip's family, else the first of a single chip times the usual
    ratio."""
    sold = prices[(prices["kind"] == "purchase").to_numpy()].fillna({"chips": 0})
    sold = sold.assign(family=[family_of(name, about["families"]) for name in sold["hardware"]])
    sold = sold.sort_values(["price_date", "chips", "price_usd"], ascending=[True, False, True]).set_index("family")
    servers, singles = (some[~some.index.duplicated()] for some in (sold[sold["chips"] >= SERVER_CHIPS], sold))
    found: dict[str, tuple[float, Any, str]] = {}
    names, first = np.unique(runs["chip"].astype("str"), return_index=True)
    for name, released, is_tpu in zip(names.tolist(), runs["released"][first], runs["is_tpu"][first], strict=True):
        family = family_of(name, about["families"])
        if family in singles.index:
            is_server = family in servers.index
            offer = (servers if is_server else singles).loc[family]
            paid = float(cast("float", offer["price_usd"])) * (1 if is_server else by_word(name, about["server_price"]))
            bought = np.datetime64(offer["price_date"], "D")
            if not np.isnat(released):  # not before it is sold in quantity
                bought = released if is_tpu else max(bought, released + about["days_after_release"])
            found[name] = (paid, bought, OF_SERVER if is_server else OF_CHIP)
    return found


def deflators(dates: np.ndarray, index: pd.DataFrame, about: Any) -> np.ndarray:
    """The value of a nominal dollar of each month in dollars of the reference year; outside the range of the index, its
    first or last month is used; null without an index."""
    if not len(index):
        return np.full(len(dates), np.nan)
    series = index[(index["series"] == about["price_index"]).to_numpy()].sort_values("date")
    months, values = series["date"].to_numpy().astype("datetime64[D]"), series["value"].to_numpy()
    target = values[months.astype("datetime64[Y]").astype("int64") + 1970 == about["dollars_of"]].mean()
    place = np.searchsorted(months, dates, side="right") - 1
    return np.where(np.isnat(dates), np.nan, target / values[place.clip(0)])


def estimate_rental(runs: Arrays, prices: pd.DataFrame, index: pd.DataFrame, constants: Constants) -> Arrays:
    """The same for cloud rental: the last price before training in the developer's own cloud, else in another; null
    where all that are known are of later than a year after the publication."""
    about, cloud = constants["cost"], constants["cloud"]
    rows = subset(runs, ~np.isnan(runs["chip_hours"]))
    day = training_start(rows, about) - cloud["days_before_training"]
    rows |= _last_offers(rows, day, rental_offers(prices, constants), constants)
    rows = subset(rows, ~np.isnan(rows["hourly"]))
    hourly, deflator = rows["hourly"], deflators(rows["date"], index, about)
    text = texts("{:.4g} USD/h × {:.4g} price index", hourly.tolist(), deflator.tolist())
    return {
        "row": rows["row"],
        "value": rows["chip_hours"] * hourly * deflator,
        "band": wider(np.full(len(hourly), cloud["band_dex"]), rows, constants),
        "formula": hours_texts(rows) + " × " + text,
        "assumptions": texts("three years' commitment at {} on {}", rows["vendor"], rows["price_date"].tolist())
        + from_flop_note(rows),
        "fields": hours_fields(rows),
    }


def not_below(rented: Arrays, owned: Arrays) -> Arrays:
    """The rentals, without a value where it is below that of owning the chips for the same hours: nobody rents them out
    for less than they cost, so that the price is of another time or of chips that were used before."""
    own = pd.Series(owned["value"], owned["row"]).reindex(rented["row"]).to_numpy()
    return rented | {"value": np.where(rented["value"] < own, np.nan, rented["value"])}


def _last_offers(
    rows: Arrays, day: np.ndarray, offers: dict[tuple[str, str], list[Arrays]], constants: Constants
) -> Arrays:
    """hourly, price_date and vendor for each run: the last offer up to the day, else the first until a year after the
    publication, of the preferred kind and vendor that has one; null where none has: prices of another time differ."""
    families, cloud = constants["cost"]["families"], constants["cloud"]
    latest = rows["date"] + np.timedelta64(int(cloud["days_after_publication"]), "D")
    found: Arrays = {"hourly": np.full(len(day), np.nan), "vendor": np.full(len(day), "", dtype=object)}
    found["price_date"] = np.full(len(day), "NaT", dtype="datetime64[D]")
    alike = pd.DataFrame({"chip": rows["chip"], "owner": rows["organizations"]}).groupby(["chip", "owner"])
    for group, part in alike.indices.items():
        chip, owner = map(str, cast("tuple[str, str]", group))
        asked = by_word(owner, cloud["vendor_of"] | {"default": cloud["vendors"][0]})
        for listed in offers.get((family_of(chip, families), asked), []):
            days = listed["price_date"]
            place = np.maximum(np.searchsorted(days, day[part], side="right") - 1, 0)
            fits = np.isnan(found["hourly"][part]) & (days[place] <= latest[part])
            for name, values in found.items():
                values[part[fits]] = listed[name][place[fits]]
    return found


def rental_offers(prices: pd.DataFrame, constants: Constants) -> dict[tuple[str, str], list[Arrays]]:
    """By chip family and preferred vendor: price_date, hourly (USD per chip-hour, three-year commitment) and vendor, by
    day, for each kind and vendor: longer commitments come first, then the preferred vendor, then the others.

    Several offers on one day give their median."""
    cloud, families = constants["cloud"], constants["cost"]["families"]
    kinds, columns = cloud["to_three_years"], ["family", "kind", "vendor", "price_date"]
    offered = prices[(prices["kind"].isin(list(kinds)) & prices["vendor"].notna()).to_numpy()]
    shares = [by_word(vendor, kinds[kind]) for kind, vendor in zip(offered["kind"], offered["vendor"], strict=True)]
    hourly = offered["price_usd_per_chip_hour"] * np.array(shares, dtype="float64")
    offered = offered.assign(hourly=hourly, family=[family_of(name, families) for name in offered["hardware"]])
    found: dict[tuple[str, str], list[Arrays]] = {}
    for family, some in offered.groupby(columns)["hourly"].median().reset_index().groupby("family"):
        each = {key: _arrays(one) for key, one in some.groupby(["kind", "vendor"])}
        for asked in cloud["vendors"]:
            order = [asked, *cloud["vendors"], *some["vendor"].sort_values()]
            keys = sorted(each, key=lambda key: (list(kinds).index(key[0]), order.index(key[1])))
            found[str(family), asked] = [each[key] for key in keys]
    return found


def _arrays(offers: pd.DataFrame) -> Arrays:
    """hourly, vendor and price_date of some offers."""
    days = offers["price_date"].to_numpy().astype("datetime64[D]")
    return {
        "hourly": offers["hourly"].to_numpy(),
        "vendor": offers["vendor"].to_numpy(dtype=object),
        "price_date": days,
    }
