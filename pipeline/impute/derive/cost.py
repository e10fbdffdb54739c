"""Cost of the training compute, in US dollars of one year, after Cottier et al. 2024 (arXiv:2405.21015, section 2).

Amortised hardware and energy: value of a chip in its server at the start of training · (0.14 · ln 10) per year ÷ 8,766 h
÷ 0.81 for the interconnect, plus the electricity for a chip-hour; times chip-hours. The value falls by 0.14 orders of
magnitude per year after the purchase. Cloud rental: price per chip-hour with a three-year commitment times chip-hours.
Both are nominal, then converted to dollars of that year with the producer price index of the month of publication.
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pandas as pd

from pipeline.impute.derive.arrays import Arrays, by_word, subset, texts
from pipeline.impute.derive.runs import from_flop_note, hours_fields, hours_texts, wider
from pipeline.registry.constants import Constants

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
    paid, bought, note, power_ratio = _of_chips(rows["chip"], offers, about)
    years = (training_start(rows, about, bought) - bought).astype("int64") / DAYS_PER_YEAR
    worth = paid * 10 ** (-about["orders_of_magnitude_per_year"] * years)
    lost = about["orders_of_magnitude_per_year"] * log(10) / HOURS_PER_YEAR  # if replaced at the best time
    hourly = worth * lost / (1 - about["interconnect_share"])
    electricity = np.nan_to_num(rows["tdp"]) / 1000 * power_ratio * _energy_price(rows, constants)
    deflator = deflators(rows["date"], index, about)
    numbers = [column.tolist() for column in (hourly, worth, electricity, deflator)]
    template = "({:.4g} USD/h of {:.4g} USD + {:.4g} USD/h of electricity) × {:.4g} price index"
    bands = about["band_dex"]
    return {
        "row": rows["row"],
        "value": rows["chip_hours"] * (hourly + electricity) * deflator,
        "band": wider(np.where(rows["is_tpu"], bands["TPU"], bands["default"]), rows, constants),
        "formula": hours_texts(rows) + " × " + texts(template, *numbers),
        "assumptions": note + from_flop_note(rows),
        "fields": hours_fields(rows),
    }


def _of_chips(names: np.ndarray, offers: dict[str, Any], about: Any) -> tuple[np.ndarray, ...]:
    """Price, day of purchase, note, and power of the server per rated power, row by row."""
    codes, chips = pd.factorize(names)
    paid = np.array([offers[name][0] for name in chips], dtype="float64")
    bought = np.array([offers[name][1] for name in chips], dtype="datetime64[D]")
    notes = np.array([offers[name][2] for name in chips], dtype=object)
    ratios = np.array([by_word(name, about["server_power"]) for name in chips], dtype="float64")
    return paid[codes], bought[codes], notes[codes], ratios[codes]


def _energy_price(rows: Arrays, constants: Constants) -> np.ndarray:
    """USD per hour for each kW of a server's rated power, from mean load, PUE and the year's electricity price."""
    about, load = constants["cost"], constants["energy"]["load"]
    years = sorted(about["electricity_usd_per_kwh"])
    by_year = np.array([about["electricity_usd_per_kwh"][year] for year in years])
    place = np.clip(rows["year"].astype("int64") - years[0], 0, len(years) - 1)
    price: np.ndarray = by_year[place] * about["pue"] * np.where(rows["is_tpu"], load["TPU"], load["default"])
    return price


def training_start(rows: Arrays, about: Any, bought: np.ndarray | None = None) -> np.ndarray:
    """Publication minus the duration (the usual one where unknown) and 60 days, but not before the chip was bought,
    except for TPUs, which their maker has before it sells them."""
    hours = np.where(np.isnan(rows["hours"]), about["usual_training_hours"], rows["hours"])
    start: np.ndarray = rows["date"] - (hours // 24).astype("timedelta64[D]") - about["days_before_publication"]
    late = np.zeros(len(start), dtype="bool") if bought is None else ~rows["is_tpu"] & (start < bought)
    start[late] = bought[late] if bought is not None else start[late]
    return start


def family_of(name: str, words: list[str]) -> str:
    """The first of the words that occurs in the name of a chip, else the name itself."""
    return next((word for word in words if word in name), name)


def purchase_prices(runs: Arrays, prices: pd.DataFrame, about: Any) -> dict[str, tuple[float, Any, str]]:
    """By chip: the price of one chip with its share of a server, the day from which it is available, and what was
    priced.

    The price is the first of a whole server of the chip's family, else the first of a single chip times the usual
    ratio."""
    sold = prices[(prices["kind"] == "purchase").to_numpy()]
    columns = zip(
        sold["price_date"].to_numpy().astype("datetime64[D]").tolist(),
        (-sold["chips"].fillna(0)).tolist(),
        sold["price_usd"].tolist(),
        sold["hardware"].tolist(),
        strict=True,
    )
    servers: dict[str, tuple[Any, float]] = {}
    singles: dict[str, tuple[Any, float]] = {}
    for day, chips, price, name in sorted(columns):
        family = family_of(name, about["families"])
        singles.setdefault(family, (day, price))
        if -chips >= SERVER_CHIPS:
            servers.setdefault(family, (day, price))
    found = {}
    names, first = np.unique(runs["chip"].astype("str"), return_index=True)
    for name, place in zip(names.tolist(), first.tolist(), strict=True):
        family = family_of(name, about["families"])
        if family not in singles:
            continue
        day, price = servers.get(family) or singles[family]
        paid = price if family in servers else price * by_word(name, about["server_price"])
        released = runs["released"][place]
        bought = _bought(np.datetime64(day), released, bool(runs["is_tpu"][place]), about["days_after_release"])
        found[name] = (paid, bought, OF_SERVER if family in servers else OF_CHIP)
    return found


def _bought(day: Any, released: Any, is_tpu: bool, wait: int) -> Any:
    """The day from which a chip is available: that of its price, but not before it is sold in quantity."""
    if np.isnat(released):
        return day
    return released if is_tpu else max(day, released + wait)


def deflators(dates: np.ndarray, index: pd.DataFrame, about: Any) -> np.ndarray:
    """The value of a nominal dollar of each month in dollars of the reference year; outside the range of the index, its
    first or last month is used."""
    series = index[(index["series"] == about["price_index"]).to_numpy()].sort_values("date")
    months, values = series["date"].to_numpy().astype("datetime64[D]"), series["value"].to_numpy()
    target = values[months.astype("datetime64[Y]").astype("int64") + 1970 == about["dollars_of"]].mean()
    place = np.searchsorted(months, dates, side="right") - 1
    return np.where(np.isnat(dates), np.nan, target / values[place.clip(0)])


def estimate_rental(runs: Arrays, prices: pd.DataFrame, index: pd.DataFrame, constants: Constants) -> Arrays:
    """The same for cloud rental: the last price before training in the developer's own cloud, else in another."""
    about, cloud = constants["cost"], constants["cloud"]
    rows = subset(runs, ~np.isnan(runs["chip_hours"]))
    day = training_start(rows, about) - cloud["days_before_training"]
    hourly, seen, vendor = _last_offers(rows, day, rental_offers(prices, constants), constants)
    known = ~np.isnan(hourly)
    rows, hourly, seen, vendor = subset(rows, known), hourly[known], seen[known], vendor[known]
    deflator = deflators(rows["date"], index, about)
    text = texts("{:.4g} USD/h × {:.4g} price index", hourly.tolist(), deflator.tolist())
    return {
        "row": rows["row"],
        "value": rows["chip_hours"] * hourly * deflator,
        "band": wider(np.full(len(hourly), cloud["band_dex"]), rows, constants),
        "formula": hours_texts(rows) + " × " + text,
        "assumptions": texts("three years' commitment at {} on {}", vendor, seen.tolist()) + from_flop_note(rows),
        "fields": hours_fields(rows),
    }


def _last_offers(
    rows: Arrays, day: np.ndarray, offers: dict[tuple[str, str], Arrays], constants: Constants
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Price, its day and vendor for each run: the last offer up to the day, else the first after it."""
    families, asked = constants["cost"]["families"], constants["cloud"]
    chip_code, chips = pd.factorize(rows["chip"])
    name_code, names = pd.factorize(rows["organizations"])
    family = [family_of(name, families) for name in chips]
    wanted = [by_word(name, asked["vendor_of"] | {"default": asked["vendors"][0]}) for name in names]
    group = chip_code * len(names) + name_code
    size = len(day)
    hourly, seen = np.full(size, np.nan), np.full(size, np.datetime64("NaT"), dtype="datetime64[D]")
    vendor = np.full(size, "", dtype=object)
    order = np.argsort(group, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(group[order])) + 1) if size else []:
        found = offers.get((family[chip_code[part[0]]], wanted[name_code[part[0]]]))
        if found:
            place = np.maximum(np.searchsorted(found["day"], day[part], side="right") - 1, 0)
            hourly[part], seen[part] = found["hourly"][place], found["day"][place]
            vendor[part] = found["vendor"][place]
    return hourly, seen, vendor


def rental_offers(prices: pd.DataFrame, constants: Constants) -> dict[tuple[str, str], Arrays]:
    """By chip family and preferred vendor: day, hourly (USD per chip-hour, three-year commitment) and vendor, by day.

    All offers are of one kind and vendor: longer commitments come first, then the preferred vendor, then the others.
    Several offers on one day give their median."""
    cloud, families = constants["cloud"], constants["cost"]["families"]
    kinds = {kind: place for place, kind in enumerate(cloud["to_three_years"])}
    offered = prices[(prices["kind"].isin(list(kinds)) & prices["vendor"].notna()).to_numpy()]
    classes: dict[str, dict[tuple[int, str], dict[Any, list[float]]]] = {}
    columns = (offered[name].tolist() for name in ("hardware", "kind", "vendor", "price_usd_per_chip_hour"))
    days = offered["price_date"].to_numpy().astype("datetime64[D]").tolist()
    for name, kind, vendor, price, day in zip(*columns, days, strict=True):
        hourly = price * by_word(vendor, cloud["to_three_years"][kind])
        of_class = classes.setdefault(family_of(name, families), {}).setdefault((kinds[kind], vendor), {})
        of_class.setdefault(day, []).append(hourly)
    vendors = {name: place for place, name in enumerate(cloud["vendors"])}
    found = {}
    for family, offers in classes.items():
        for asked in vendors:
            ranked = ((kind, -1 if v == asked else vendors.get(v, len(vendors)), v) for kind, v in offers)
            kind, _, vendor = min(ranked)
            listed = sorted(offers[kind, vendor].items())
            found[family, asked] = {
                "day": np.array([day for day, _ in listed], dtype="datetime64[D]"),
                "hourly": np.array([float(np.median(hours)) for _, hours in listed]),
                "vendor": np.full(len(listed), vendor, dtype=object),
            }
    return found
