"""The most compute that anybody could have put into one run by a day: the largest cluster then running, for half a year
at 40 % of its dense 16-bit peak; after the last such record the upper end of the line through them.

The records and the line are those of the view `cluster_supply`, which says what the clusters give in 90 days; the upper
end of the line, twice the line or more, needs no doubling of the days. None of the 1,207 values published since 2018
exceeds this limit with its slack; with 90 days one does (Grok 3). The cluster of a maker is no limit to it: 39 of 515
published values exceed what that would give, since runs are spread and chips are rented."""

import duckdb
import numpy as np
import pandas as pd

from pipeline.impute.digits import log10
from pipeline.paths import CHECKOUT

VIEW = CHECKOUT / "pipeline" / "publish" / "sql" / "cluster_supply.sql"
DAYS, DAYS_OF_VIEW = 180, 90
SLACK_DEX = 0.15  # clusters that nobody has listed, and more days or a better use than these


def most_flop(dates: pd.Series, clusters: pd.DataFrame | None) -> pd.Series:
    """The FLOP that could be had by each date; null before the first record, without one, and for no date. `clusters`
    has the columns of the table of that name; a small checkout has none."""
    limit = pd.Series(np.nan, index=dates.index)
    if clusters is None:
        return limit
    with duckdb.connect() as connection:
        connection.register("clusters", clusters)
        supply = connection.sql(VIEW.read_text(encoding="utf-8")).df()
    day, known = dates.to_numpy().astype("datetime64[D]"), dates.notna().to_numpy()
    records, line = supply[~supply["is_fit"]], supply[supply["is_fit"]].dropna(subset=["date", "flop_high"])
    if not len(records):
        return limit
    started = records["date"].to_numpy().astype("datetime64[D]")
    place = np.searchsorted(started, day[known], side="right") - 1
    largest = np.append(log10(records["flop"].to_numpy() * DAYS / DAYS_OF_VIEW), np.nan)[place]  # -1 picks the last
    if len(line) > 1:
        largest = np.where(day[known] > started[-1], np.maximum(largest, _upper_end(line, day[known])), largest)
    limit[known] = 10 ** (largest + SLACK_DEX)
    return limit


def _upper_end(line: pd.DataFrame, day: np.ndarray) -> np.ndarray:
    """log10 of the upper end of the line at each day, straight on before its first and after its last year."""
    at, end = line["date"].to_numpy().astype("datetime64[D]").astype("float64"), log10(line["flop_high"].to_numpy())
    days = day.astype("datetime64[D]").astype("float64")
    part = np.clip(np.searchsorted(at, days) - 1, 0, len(at) - 2)
    slope = (end[part + 1] - end[part]) / (at[part + 1] - at[part])
    return np.asarray((end[part] + slope * (days - at[part])).round(9))
