"""The training runs on one kind of chip: their power, energy, carbon, and cost in US dollars of one year.

Power in W = chips · TDP · server overhead · PUE, with overhead 1 for a single chip and PUE linear in time (the formula
of epoch.ai/data/ai-models-documentation). Energy in kWh = power · hours · load ÷ 1000, or the power of one chip times
chip-hours. Carbon in kg of CO2 equivalent = energy · intensity of the grid ÷ 1000, where the cloud region of the
training is known: location-based, without what the operator offsets.

Cost after Cottier et al. 2024 (arXiv:2405.21015, section 2). Amortised hardware and energy: value of a chip in its
server at the start of training · (0.14 · ln 10) per year ÷ 8,766 h ÷ 0.81 for the interconnect, plus the electricity
for a chip-hour; times chip-hours. Cloud rental: price per chip-hour with a three-year commitment times chip-hours. Both
are nominal, then converted to dollars of that year with the producer price index of the month of publication.

Every estimate_… takes `runs` (`training_runs`), `filled`, the models with what the estimates before it filled in, and
the tables of reference. It returns by the index of the models: value, band (half-width of the 90 % interval in dex),
formula, assumptions and fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import log
from typing import Any

import numpy as np
import pandas as pd

from pipeline.config import Constants
from pipeline.frames import Tables
from pipeline.impute.methods.hardware import MOST_HOURS, RATES, peak_rate
from pipeline.impute.results import SECONDS_PER_HOUR

PRINTED, PRODUCT, FROM_FLOP = 0, 1, 2  # where chip-hours come from, and for each the fields behind them
TABLES = ("grid_regions", "hardware", "hardware_prices", "price_index")  # that the estimates read
FIELDS = (
    "hardware;chip_hours",
    "hardware;hardware_quantity;training_hours",
    "hardware;training_compute_flop;hardware_utilization;numerical_format",
)
# An agent of these domains alone learns in a simulator, for which its chips wait: its FLOP say nothing of the hours
SIMULATED = ("Games", "Robotics")
NARROW = ("FP8", "MXFP8", "FP4", "NVFP4", "MXFP4")  # formats whose peak the usual utilisation is not a share of
HOURS_PER_YEAR, DAYS_PER_YEAR = 8766, 365.25
SERVER_CHIPS = 4  # a price derived from a machine with at least this many chips includes the chip's share of the server
OF_SERVER, OF_CHIP = "price of a server with the chip", "price of the chip alone, with the usual server"
BY_FAMILY = ["family", "priority", "day", "chips", "price_usd"]


def by_word(names: pd.Series, table: Mapping[str, Any]) -> pd.Series:
    """The value for the first word of the table that occurs in each name, else the value for `default`."""
    distinct = names.unique()
    found = [next((table[word] for word in table if word in name), table["default"]) for name in distinct]
    return names.map(dict(zip(distinct, found, strict=True)))


def texts(template: str, *columns: Iterable[object]) -> np.ndarray:
    """The template filled in with the values of each row; formulas print numbers as {:.4g}."""
    return np.array([template.format(*row) for row in zip(*columns, strict=True)], dtype=object)


def day_numbers(dates: pd.Series) -> np.ndarray:
    """Days since 1970-01-01; null for no date."""
    days = dates.to_numpy().astype("datetime64[D]")
    return np.where(np.isnat(days), np.nan, days.astype("int64"))


def training_runs(
    models: pd.DataFrame, chips: pd.DataFrame, has_base: np.ndarray, constants: Constants
) -> pd.DataFrame:
    """By the index of the dated models with one kind of chip: chip (name), tdp (W), released, day and start (of the
    training) in days since 1970-01-01, year (decimal), pue, is_tpu, organizations, quantity, hours, peak (FLOP/s),
    chip_hours, basis (PRINTED, PRODUCT or FROM_FLOP), how formulas print them (`time`), the fields behind them, what is
    assumed of them (`note`), and by how much they widen an interval (`hours_dex`). `chips` has the columns of
    `hardware` by the index of `models`.

    Chip-hours are the printed ones, else chips × hours, else what the FLOP of a model without a base model take at the
    stated utilisation, or at the usual one of the 16-bit peak; null where the chips would have to do three times the
    FLOP that they can, and from FLOP for agents that learn in a simulator. Training starts its duration and 60 days
    before publication."""
    about, costs, pue = constants["chip_hours"], constants["cost"], constants["power"]["pue"]
    known = (chips["name"].notna() & models["publication_date"].notna()).to_numpy()
    models, chips, has_base = models[known], chips[known], has_base[known]
    date = models["publication_date"].to_numpy().astype("datetime64[D]")
    first = date.astype("datetime64[Y]")
    day = day_numbers(models["publication_date"])
    year = first.astype("int64") + 1970 + (date - first).astype("int64") / 366  # so that no day falls in the next year
    printed, quantity, hours = models["chip_hours"], models["hardware_quantity"], models["training_hours"]
    flop, stated = models["training_compute_flop"].mask(has_base), models["hardware_utilization"] <= 1
    share, form = models["hardware_utilization"].where(stated, about["utilization"]), models["numerical_format"]
    rates = chips[[*RATES.values()]].assign(hardware_type=chips["type"], numerical_format=form)
    wide = peak_rate(rates.assign(numerical_format=form.mask(form.isin(NARROW) & ~stated, "BF16")))
    peak, product = peak_rate(rates), quantity * hours.where(hours <= MOST_HOURS)
    chip_hours = printed.fillna(product)
    most = chip_hours * SECONDS_PER_HOUR * peak * about["most_utilization"]
    worked_out = (flop / (wide * SECONDS_PER_HOUR * share)).mask(models["domains"].isin(SIMULATED))
    basis = np.select([printed.notna(), product.notna()], [PRINTED, PRODUCT], FROM_FLOP)
    times = [
        texts("{:.4g} chip-hours", printed),
        texts("{:.4g} chips × {:.4g} h", quantity, hours),
        texts("{:.4g} FLOP ÷ ({:.4g} FLOP/s × {:.4g} × 3600 s/h)", flop, wide, share),
    ]
    columns = {
        "chip": chips["name"],
        "tdp": chips["tdp_w"],
        "released": day_numbers(chips["release_date"]),
        "is_tpu": (chips["type"] == "TPU").astype("bool"),
        "day": day,
        "start": day - hours.fillna(costs["usual_training_hours"]) // 24 - costs["days_before_publication"],
        "year": year,
        "pue": np.maximum(pue["value"] + pue["change_per_year"] * (year - pue["year"]), 1),
        "organizations": models["organizations"].fillna(""),
        "quantity": quantity,
        "peak": peak,
        "chip_hours": chip_hours.fillna(worked_out).mask(flop > most),
        "basis": basis,
        "time": np.choose(basis, times),
        "fields": np.array(FIELDS, dtype=object)[basis],
        "note": np.where(basis == FROM_FLOP, ";chip-hours worked out from FLOP", "").astype(object),
        "hours_dex": np.where(basis == FROM_FLOP, about["band_dex"], 0.0),
    }
    return pd.DataFrame(columns, models.index)


def estimate_power(runs: pd.DataFrame, filled: pd.DataFrame, tables: Tables, constants: Constants) -> pd.DataFrame:
    """W, for the runs whose chips and rated power are known."""
    rows = runs[(runs["quantity"] * runs["tdp"]).notna()]
    about, several, pue = constants["power"], rows["quantity"] != 1, rows["pue"]
    overhead = pd.Series(np.where(several, about["server_overhead"], 1.0), rows.index)
    assumed = texts("{:.4g} W of the server per W of its chips;PUE {:.4g}", overhead, pue)
    columns = {
        "value": rows["quantity"] * rows["tdp"] * overhead * pue,
        "band": np.where(several, about["band_dex"], about["one_chip_band_dex"]),
        "formula": texts("{:.4g} chips × {:.4g} W × {:.4g} × PUE {:.4g}", rows["quantity"], rows["tdp"], overhead, pue),
        "assumptions": np.where(several, assumed, texts("no server around a single chip;PUE {:.4g}", pue)),
        "fields": "hardware;hardware_quantity",
    }
    return pd.DataFrame(columns, rows.index)


def estimate_energy(runs: pd.DataFrame, filled: pd.DataFrame, tables: Tables, constants: Constants) -> pd.DataFrame:
    """kWh, for the runs whose chip-hours are known."""
    about, load, bands = constants["power"], constants["energy"]["load"], constants["energy"]["load_band_dex"]
    drawn = filled["training_power_w"][runs.index] / runs["quantity"]
    each = drawn.fillna(runs["tdp"] * about["server_overhead"] * runs["pue"])
    rows = runs[(runs["chip_hours"] * each).notna()]
    each, stated = each[rows.index], drawn[rows.index].notna()
    mean = np.where(rows["is_tpu"], load["TPU"], load["default"])
    of_power = np.where(rows["quantity"] == 1, about["one_chip_band_dex"], about["band_dex"])
    band = np.hypot(np.where(rows["is_tpu"], bands["TPU"], bands["default"]), of_power)
    columns = {
        "value": rows["chip_hours"] * each * mean / 1000,
        "band": np.hypot(band, rows["hours_dex"]),
        "formula": rows["time"] + " × " + texts("{:.4g} W per chip × load {:.4g} ÷ 1000", each, mean),
        "assumptions": texts("mean load {:.4g} of the rated power", mean) + rows["note"],
        "fields": rows["fields"] + np.where(stated, ";training_power_w", "").astype(object),
    }
    return pd.DataFrame(columns, rows.index)


def estimate_carbon(runs: pd.DataFrame, filled: pd.DataFrame, tables: Tables, constants: Constants) -> pd.DataFrame:
    """kg of CO2 equivalent, for the models whose energy and cloud region are known; as unsure as both."""
    regions = tables["grid_regions"].set_index("region_id")["carbon_intensity_g_per_kwh"]
    grams, energy = filled["training_region"].map(regions).astype("float64"), filled["training_energy_kwh"]
    rows = filled[(grams * energy).notna()]
    grams, energy = grams[rows.index], energy[rows.index]
    spread = np.nan_to_num(np.log10(rows["training_energy_kwh_high"] / energy))  # 0 where a source states it
    columns = {
        "value": energy * grams / 1000,
        "band": np.hypot(spread, constants["carbon"]["band_dex"]),
        "formula": texts("{:.4g} kWh × {:.4g} g/kWh ÷ 1000", energy, grams),
        "assumptions": texts("mean intensity of the grid of {}", rows["training_region"]),
        "fields": "training_region;training_energy_kwh",
    }
    return pd.DataFrame(columns, rows.index)


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
    """The same for cloud rental; null where all known prices are later than a year after the publication, and below the
    cost of owning the chips for the same hours: the price is then of another time or of used chips."""
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
