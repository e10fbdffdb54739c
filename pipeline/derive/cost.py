"""Cost of the training compute, in US dollars of one year, after Cottier et al. 2024 (arXiv:2405.21015, section 2).

Amortised hardware and energy: value of a chip in its server at the start of training · (0.14 · ln 10) per year ÷ 8,766 h
÷ 0.81 for the interconnect, plus the electricity of a chip-hour; times chip-hours. The value falls by 0.14 orders of
magnitude per year from the purchase. Cloud rental: price per chip-hour under three years' commitment times chip-hours.
Both nominal, then carried to the year by the producer price index of the month of publication.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipeline.derive.constants import Constants, by_word
from pipeline.derive.runs import hours_fields, hours_text
from pipeline.estimate.result import written

if TYPE_CHECKING:
    import pandas as pd

HOURS_PER_YEAR, DAYS_PER_YEAR = 8766, 365.25
SERVER_CHIPS = 4  # a price worked out from a machine with as many chips contains its share of the server


def estimate_amortized(
    runs: pd.DataFrame, prices: pd.DataFrame, index: pd.DataFrame, constants: Constants
) -> pd.DataFrame:
    """value (dollars), band (dex), formula, assumptions, fields of runs with chip-hours, date and a price of the chip."""
    about = constants["cost"]
    bought = purchase_prices(runs, prices, about)
    rows = runs.join(bought, on="chip", how="inner")
    rows = rows[(rows["chip_hours"] * rows["year"]).notna()]
    years = (training_start(rows, about) - rows["bought"]).dt.days / DAYS_PER_YEAR
    worth = rows["price_usd"] * 10 ** (-about["orders_of_magnitude_per_year"] * years)
    per_hour = worth * _wear(about) / (1 - about["interconnect_share"])
    energy = rows["tdp_w"].fillna(0) / 1000 * _energy_factor(rows, about)
    deflator = deflators(rows["publication_date"], index, about)
    text = written(per_hour) + " USD/h of " + written(worth) + " USD + " + written(energy) + " USD/h of electricity)"
    return rows[["model_id"]].assign(
        value=rows["chip_hours"] * (per_hour + energy) * deflator,
        band=_with_hours(rows, by_word(_kind(rows), about["band_dex"]), constants),
        formula=hours_text(rows) + " × (" + text + " × " + written(deflator) + " price index",
        assumptions=rows["price_note"] + _from_flop(rows),
        fields=hours_fields(rows),
    )


def _wear(about: Any) -> float:
    """The share of its value that hardware loses per hour when it is replaced at the best time."""
    from math import log

    share: float = about["orders_of_magnitude_per_year"] * log(10) / HOURS_PER_YEAR
    return share


def _energy_factor(rows: pd.DataFrame, about: Any) -> pd.Series:
    """USD per hour for each kW of a chip's rated power."""
    load = by_word(_kind(rows), {"TPU": 0.43, "default": 0.75})
    years = about["electricity_usd_per_kwh"]
    price = rows["publication_date"].dt.year.clip(min(years), max(years)).map(years)
    return by_word(rows["chip"], about["server_power"]) * load * about["pue"] * price


def _kind(rows: pd.DataFrame) -> pd.Series:
    return rows["is_tpu"].map({True: "TPU", False: "other"})


def _from_flop(rows: pd.DataFrame) -> pd.Series:
    return rows["from_flop"].map({True: ";chip-hours worked out from FLOP", False: ""})


def _with_hours(rows: pd.DataFrame, band: pd.Series, constants: Constants) -> pd.Series:
    return (band**2 + rows["from_flop"] * constants["chip_hours"]["band_dex"] ** 2) ** 0.5


def training_start(rows: pd.DataFrame, about: Any) -> pd.Series:
    """Publication less the duration (the usual one where it is not known) and 60 days; not before the chip was bought,
    but for TPUs, which their maker has before it sells them."""
    import pandas as pd

    hours = rows["training_hours"].fillna(about["usual_training_hours"])
    start = rows["publication_date"] - pd.to_timedelta(hours * 3600, unit="s").dt.floor("s")
    start = start - pd.Timedelta(days=about["days_before_publication"])
    if "bought" in rows:
        start = start.where(rows["is_tpu"] | (start > rows["bought"]), rows["bought"])
    return start


def purchase_prices(runs: pd.DataFrame, prices: pd.DataFrame, about: Any) -> pd.DataFrame:
    """By chip: price_usd of one chip with its share of a server, bought (day from which it can be had), price_note.

    The first price of a whole server of the chip's family, else the first of a single chip times the usual ratio."""
    import pandas as pd

    chips = runs.drop_duplicates("chip")[["chip", "release_date", "is_tpu"]].dropna(subset=["chip"])
    chips = chips.assign(family=_families(chips["chip"], about["families"]))
    sold = prices[prices["kind"] == "purchase"]
    sold = sold.assign(family=_families(sold["hardware"], about["families"]))
    sold = sold.sort_values(["price_date", "chips", "price_usd"], ascending=[True, False, True], kind="stable")
    servers = sold[sold["chips"] >= SERVER_CHIPS].drop_duplicates("family").set_index("family")
    singles = sold.drop_duplicates("family").set_index("family")
    server, single = servers.reindex(chips["family"]), singles.reindex(chips["family"])
    of_server = server["price_usd"].to_numpy()
    of_single = single["price_usd"].to_numpy() * by_word(chips["chip"], about["server_price"]).to_numpy()
    whole = pd.Series(of_server).notna()
    day = pd.Series(server["price_date"].array).fillna(pd.Series(single["price_date"].array))
    released = chips["release_date"].reset_index(drop=True)
    ready = released + pd.Timedelta(days=about["days_after_release"])
    bought = day.where(~(ready > day), ready).mask(chips["is_tpu"].to_numpy(), released.fillna(day))
    note = whole.map({True: "price of a server with the chip", False: "price of the chip alone, with the usual server"})
    made = {
        "price_usd": pd.Series(of_server).fillna(pd.Series(of_single)),
        "bought": bought,
        "price_note": note.astype("str"),
    }
    return pd.DataFrame(made).set_axis(pd.Index(chips["chip"])).dropna(subset=["price_usd"])


def _families(names: pd.Series, words: list[str]) -> pd.Series:
    known = {name: next((word for word in words if word in name), name) for name in names.dropna().unique()}
    return names.map(known)


def deflators(dates: pd.Series, index: pd.DataFrame, about: Any) -> pd.Series:
    """What a nominal dollar of each month is in dollars of the year; beyond the index its first or last month counts."""
    import numpy as np
    import pandas as pd

    series = index[index["series"] == about["price_index"]].sort_values("date")
    months, values = series["date"].to_numpy(), series["value"].to_numpy()
    target = series.loc[series["date"].dt.year == about["dollars_of"], "value"].mean()
    place = np.searchsorted(months, dates.to_numpy(), side="right") - 1
    return pd.Series(target / values[place.clip(0)], index=dates.index).where(dates.notna())


def estimate_rental(
    runs: pd.DataFrame, prices: pd.DataFrame, index: pd.DataFrame, constants: Constants
) -> pd.DataFrame:
    """The same of cloud rental: the last price before the training of the developer's own cloud, else of another."""
    import pandas as pd

    about = constants["cost"]
    rows = runs[(runs["chip_hours"] * runs["year"]).notna()]
    rows = rows.assign(
        family=_families(rows["chip"], about["families"]),
        asked=_asked_vendor(rows["organizations"], constants["cloud"]),
        day=training_start(rows, about) - pd.Timedelta(days=constants["cloud"]["days_before_training"]),
    )
    offers = rental_offers(prices, constants)
    order = rows.assign(day=rows["day"].astype(offers["price_date"].dtype)).sort_values("day", kind="stable")
    before, after = (
        pd.merge_asof(order, offers, left_on="day", right_on="price_date", by=["family", "asked"], direction=way)
        for way in ("backward", "forward")
    )
    found = before[["hourly", "vendor", "price_date"]].fillna(after[["hourly", "vendor", "price_date"]])
    rows = rows.join(found.set_axis(order.index))
    rows = rows[rows["hourly"].notna()]
    deflator = deflators(rows["publication_date"], index, about)
    text = written(rows["hourly"]) + " USD/h × " + written(deflator) + " price index"
    return rows[["model_id"]].assign(
        value=rows["chip_hours"] * rows["hourly"] * deflator,
        band=_with_hours(rows, rows["hourly"] * 0 + constants["cloud"]["band_dex"], constants),
        formula=hours_text(rows) + " × " + text,
        assumptions="three years' commitment at "
        + rows["vendor"]
        + " on "
        + rows["price_date"].dt.strftime("%Y-%m-%d")
        + _from_flop(rows),
        fields=hours_fields(rows),
    )


def _asked_vendor(organizations: pd.Series, cloud: Any) -> pd.Series:
    """The cloud that the developer would rent from: its own, or the first of the vendors."""
    vendors = cloud["vendor_of"]
    known = {
        names: next((vendor for word, vendor in vendors.items() if word in names), cloud["vendors"][0])
        for names in organizations.dropna().unique()
    }
    return organizations.map(known).astype("str").fillna(cloud["vendors"][0])


def rental_offers(prices: pd.DataFrame, constants: Constants) -> pd.DataFrame:
    """family, asked, price_date, vendor and hourly (USD per chip-hour, three years' commitment), by date.

    Of each chip family and asked vendor the offers of one kind and vendor: prices that are committed for longer come
    first, then the asked vendor, then the others."""
    import pandas as pd

    cloud = constants["cloud"]
    kinds = list(cloud["to_three_years"])
    offers = prices[prices["kind"].isin(kinds) & prices["vendor"].notna()]
    factor = sum(
        by_word(offers["vendor"], cloud["to_three_years"][kind]).where(offers["kind"] == kind, 0.0) for kind in kinds
    )
    vendors = {name: place for place, name in enumerate(cloud["vendors"])}
    offers = offers.assign(
        family=_families(offers["hardware"], constants["cost"]["families"]),
        hourly=offers["price_usd_per_chip_hour"] * factor,
        by_kind=offers["kind"].map({kind: place for place, kind in enumerate(kinds)}),
        by_vendor=offers["vendor"].map(vendors).fillna(len(vendors)),
    )
    classes = offers.groupby(["family", "by_kind", "vendor"], as_index=False)["by_vendor"].first()
    asked = classes.merge(pd.DataFrame({"asked": cloud["vendors"]}), how="cross")
    asked["by_vendor"] = asked["by_vendor"].where(asked["vendor"] != asked["asked"], -1)
    asked = asked.sort_values(["family", "asked", "by_kind", "by_vendor", "vendor"], kind="stable")
    best = asked.drop_duplicates(["family", "asked"])[["family", "asked", "by_kind", "vendor"]]
    listed = best.merge(
        offers[["family", "by_kind", "vendor", "price_date", "hourly"]], on=["family", "by_kind", "vendor"]
    )
    listed = listed.groupby(["family", "asked", "vendor", "price_date"], as_index=False)["hourly"].median()
    return listed.sort_values(["price_date", "family", "asked"], kind="stable", ignore_index=True)
