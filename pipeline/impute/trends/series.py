"""The models as trends see them, and which of them a trend is fitted to: for each quantity the dated published values,
and the groups among them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from pipeline.frames import is_in, items_of
from pipeline.impute.eras import notable_or_all
from pipeline.impute.results import has_word
from pipeline.impute.runs import first_of_run
from traincompute.base.quantiles import QUANTILES, Z
from traincompute.thresholds import BOUNDS

YEAR_DAYS = 365.2425
QUANTITIES = {
    "training_compute_flop": "FLOP",
    "parameters": "parameter",
    "training_tokens": "token",
    "training_cost_usd": "USD",
    "training_power_w": "W",
    "hardware_quantity": "chip",
}
ENDS = {  # the columns with the ends of a quantity's 90 % interval, of those that have one
    "training_compute_flop": ["training_compute_low", "training_compute_high"],
    "training_cost_usd": ["training_cost_usd_low", "training_cost_usd_high"],
    "training_power_w": ["training_power_w_low", "training_power_w_high"],
}
ERAS = ["era_compute", "era_economic"]
COLUMNS = ["model_id", "publication_date", "is_notable", "is_frontier_upstream", "domains", "countries",
           "organizations", "training_run_id", "training_compute_confidence", "frontier_rank", *ERAS,
           *QUANTITIES, *(end for ends in ENDS.values() for end in ends)]  # fmt: skip
DISTRIBUTION = ["tier", *QUANTILES, *BOUNDS]  # of training_compute_flop, in predictions
# 90 % bands of the source's confidence words, a factor either way [epoch.ai/data/ai-models-documentation/estimation]
BANDS = {"confident": 3.0, "likely": 10.0, "speculative": 31.0}
Z90 = Z[-1]  # a 90 % interval is ± this many standard deviations
TOP, TOP_TEN = 10, "running_top_ten"
MODERN = "2010-01-01"  # the date from which countries and organisations are compared
MIN_POINTS = 8
MIN_MEMBER = 20  # of a country or an organisation
MEMBER_QUANTITIES = ("training_compute_flop", "parameters", "training_cost_usd")  # that they are compared by
MIN_YEARS = 3.0
SINCE = {
    "all": ["", "2010-01-01"],
    "notable": ["", "2010-01-01", "2018-01-01"],
    "frontier_flag": ["", "2010-01-01"],
    TOP_TEN: ["", "2010-01-01", "2018-01-01"],
    "language": ["2017-06-01"],
    "notable_language": ["2017-06-01"],
}
MEMBERS_IN = {"country": "countries", "organization": "organizations"}
BY_VALUE = (TOP_TEN, *ERAS)  # groups that are found by their values
PLAIN: dict[str, Callable[[pd.DataFrame], pd.Series]] = {
    "all": lambda models: models["model_id"].notna(),
    "notable": lambda models: notable_or_all(models["is_notable"]),
    "frontier_flag": lambda models: models["is_frontier_upstream"].fillna(False) & PLAIN["notable"](models),
    TOP_TEN: lambda models: models["frontier_rank"] <= TOP,
    "language": lambda models: has_word(models["domains"], "Language"),
    "notable_language": lambda models: PLAIN["language"](models) & PLAIN["notable"](models),
}
LATELY = "2024-01-01"  # since when most developers of large models publish no value
HALF = 0.5  # of the runs since then, below which a trend carries a warning
DIGITS = 4


class Key(NamedTuple):
    """Names one group of models: the kind of group, which one of that kind, and from which day on."""

    group: str
    member: str = ""
    since: str = ""


class Group(NamedTuple):
    """The places of the points of a group: all its models, and the first model of each of its training runs."""

    models: np.ndarray
    runs: np.ndarray


def prepare(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Dated models with `year`, with eras where they are notable and their FLOP are published, and with the columns
    DISTRIBUTION of predictions.

    Reads models (with ranks and eras, see eras.py) and, if present, estimates and predictions. Values that were
    estimated here are left out: a trend through them would partly be a trend through the method. Models without a
    training_run_id are left out; where none has one, each is a run of its own."""
    found = tables["models"].reindex(columns=COLUMNS)
    if "estimates" in tables:
        made = tables["estimates"]
        made = made[made["is_selected"].to_numpy(dtype="bool") & made["value"].notna().to_numpy()]
        for field in QUANTITIES:
            of_field = made.loc[made["field"] == field, "model_id"]
            found[field] = found[field].mask(is_in(found["model_id"], of_field))
    if "predictions" in tables:
        found = found.merge(tables["predictions"][["model_id", *DISTRIBUTION]], on="model_id", how="left")
    if found["training_run_id"].notna().any():
        found = found[found["training_run_id"].notna()]
    found = found[found["publication_date"].notna()].reset_index(drop=True)
    valued = notable_or_all(found["is_notable"]) & found["training_compute_flop"].notna()
    return found.assign(
        year=decimal_year(found["publication_date"]),
        training_run_id=found["training_run_id"].astype("str").fillna(found["model_id"]),
        frontier_rank=found["frontier_rank"].astype("float64"),
        **{era: found[era].astype("str").where(valued) for era in ERAS},
    )


def decimal_year(dates: pd.Series) -> pd.Series:
    """Dates as decimal years: 1970 + days since 1970-01-01 / 365.2425."""
    return 1970 + (dates - pd.Timestamp("1970-01-01")).dt.days / YEAR_DAYS


def make_points(prepared: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """The models that have a value of the quantity, with its `log10` and its uncertainty `sd_dex`, the standard
    deviation of log10: from the value's 90 % interval, else for FLOP from the source's confidence word, else 0."""
    others = [name for other in QUANTITIES if other != quantity for name in (other, *ENDS.get(other, []))]
    points = prepared.drop(columns=others)[prepared[quantity].notna()].reset_index(drop=True)
    spread = pd.Series(np.nan, index=points.index)
    if quantity in ENDS:
        low, high = (np.log10(points[end].astype("float64")) for end in ENDS[quantity])
        spread = (high - low) / (2 * Z90)
    if quantity == "training_compute_flop":
        words = {word: math.log10(band) / Z90 for word, band in BANDS.items()}
        spread = spread.fillna(points["training_compute_confidence"].map(words).astype("float64"))
    return points.assign(log10=np.log10(points[quantity]), sd_dex=spread.fillna(0.0))


def make_groups(points: pd.DataFrame, members: bool = True) -> dict[Key, Group]:
    """The groups with enough training runs over enough years for a line to mean something; `members` adds countries and
    organisations since 2010, joint models count for each."""
    keys = [Key(group, since=since) for group, days in SINCE.items() for since in days]
    keys += [Key(kind, era) for kind in ERAS for era in points[kind].dropna().unique()]
    for kind, column in MEMBERS_IN.items() if members else ():
        counts = items_of(points[column])[0].value_counts()
        keys += [Key(kind, str(name), MODERN) for name in counts.index[counts >= MIN_MEMBER]]
    run, date = pd.factorize(points["training_run_id"])[0], points["publication_date"].to_numpy()
    year, groups = points["year"].to_numpy(), {}
    for key in keys:
        rows = np.flatnonzero(of_group(points, key))
        runs = rows[first_of_run(run[rows], date[rows])]
        least = MIN_MEMBER if key.group in MEMBERS_IN else MIN_POINTS
        if len(runs) >= least and np.ptp(year[runs]) >= MIN_YEARS:
            groups[key] = Group(rows, runs)
    return groups


def of_group(models: pd.DataFrame, key: Key, until: str = "") -> np.ndarray:
    """Whether each model is of a group, and was published before `until`."""
    if key.group in MEMBERS_IN:
        found = has_word(models[MEMBERS_IN[key.group]], key.member)
    else:
        found = models[key.group] == key.member if key.member else PLAIN[key.group](models)
    dates = models["publication_date"].to_numpy()
    inside = (dates >= np.datetime64(key.since or "1900-01-01")) & (dates < np.datetime64(until or "2200-01-01"))
    return np.asarray(found, dtype=bool) & inside


def population(prepared: pd.DataFrame, key: Key) -> np.ndarray:
    """Which models may be of a group, with a value or without: for groups that are found by their values (the running
    top ten, eras) the notable ones."""
    return of_group(prepared, Key("notable", since=key.since) if key.group in BY_VALUE else key)


def shares(prepared: pd.DataFrame, valued: np.ndarray, key: Key) -> dict[str, float | bool]:
    """valued_share and valued_share_since_2024 of the runs of a group that have a value, and `selection_warning`:
    whether the latter is below the former or below HALF."""
    run, rows, found = prepared["training_run_id"], population(prepared, key), []
    for some in (rows, rows & (prepared["publication_date"] >= LATELY).to_numpy()):
        known, all_ = run[some & valued].nunique(), run[some].nunique()
        found.append(round(known / all_, DIGITS) if all_ else float("nan"))
    whole, recent = found
    warning = bool(recent < max(whole, HALF))
    return {"valued_share": whole, "valued_share_since_2024": recent, "selection_warning": warning}
