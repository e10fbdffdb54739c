"""Which models a trend is fitted to: for each quantity, the dated values and the groups among them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from pipeline.frames import items_of
from pipeline.impute.results import has_word
from pipeline.impute.runs import first_of_run
from pipeline.impute.trends.prepare import QUANTITIES, interval_of, notable_or_all
from traincompute.base.quantiles import Z

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
BY_VALUE = (TOP_TEN, "era_compute", "era_economic")  # groups that are found by their values
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


def make_points(prepared: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """The models that have a value of the quantity, with its `log10` and its uncertainty `sd_dex`, the standard
    deviation of log10: from the value's 90 % interval, else for FLOP from the source's confidence word, else 0."""
    others = [name for other in QUANTITIES if other != quantity for name in (other, *interval_of(other))]
    points = prepared.drop(columns=others)[prepared[quantity].notna()].reset_index(drop=True)
    spread = pd.Series(np.nan, index=points.index)
    if ends := interval_of(quantity):
        low, high = (np.log10(points[end].astype("float64")) for end in ends)
        spread = (high - low) / (2 * Z90)
    if quantity == "training_compute_flop":
        words = {word: math.log10(band) / Z90 for word, band in BANDS.items()}
        spread = spread.fillna(points["training_compute_confidence"].map(words).astype("float64"))
    return points.assign(log10=np.log10(points[quantity]), sd_dex=spread.fillna(0.0))


def make_groups(points: pd.DataFrame, members: bool = True) -> dict[Key, Group]:
    """The groups with enough training runs over enough years for a line to mean something; `members` adds countries and
    organisations since 2010, joint models count for each."""
    plain = plain_groups(points)
    masks = {
        Key(group, since=since): select(points, plain[group], since) for group, days in SINCE.items() for since in days
    }
    for kind in ("era_compute", "era_economic"):
        masks |= {Key(kind, era): points[kind].to_numpy() == era for era in sorted(points[kind].dropna().unique())}
    places = {key: np.flatnonzero(rows) for key, rows in masks.items()}
    recent = (points["publication_date"] >= MODERN).to_numpy()
    for kind, column in MEMBERS_IN.items() if members else ():
        names, rows = items_of(points[column])
        names, rows = names[recent[rows]], rows[recent[rows]]
        found = {str(name): rows[of_name] for name, of_name in names.groupby(names).indices.items()}
        places |= {Key(kind, name, MODERN): found[name] for name in sorted(found)}
    run, date = pd.factorize(points["training_run_id"])[0], points["publication_date"].to_numpy()
    year, groups = points["year"].to_numpy(), {}
    for key, rows in places.items():
        runs = rows[first_of_run(run[rows], date[rows])]
        least = MIN_MEMBER if key.group in MEMBERS_IN else MIN_POINTS
        if len(runs) >= least and np.ptp(year[runs]) >= MIN_YEARS:
            groups[key] = Group(rows, runs)
    return groups


def plain_groups(points: pd.DataFrame) -> dict[str, pd.Series]:
    """The rows of each group that is not split into members, whatever their date."""
    notable = notable_or_all(points["is_notable"])
    language = has_word(points["domains"], "Language")
    return {
        "all": notable | ~notable,
        "notable": notable,
        "frontier_flag": points["is_frontier_upstream"].fillna(False).astype(bool) & notable,
        TOP_TEN: points["frontier_rank"] <= TOP,
        "language": language,
        "notable_language": language & notable,
    }


def select(points: pd.DataFrame, rows: pd.Series | np.ndarray, since: str = "", until: str = "") -> np.ndarray:
    """The rows that were published from `since` on and before `until`, as a mask."""
    dates = points["publication_date"].to_numpy()
    inside = (dates >= np.datetime64(since or "1900-01-01")) & (dates < np.datetime64(until or "2200-01-01"))
    return np.asarray(rows, dtype=bool) & inside


def population(prepared: pd.DataFrame, plain: dict[str, pd.Series], key: Key) -> np.ndarray:
    """Which models may be of a group, with a value or without: for groups that are found by their values (the running
    top ten, eras) the notable ones. `plain` are the plain groups of `prepared`."""
    if key.group in MEMBERS_IN:
        of_group = has_word(prepared[MEMBERS_IN[key.group]], key.member)
    else:
        of_group = plain["notable" if key.group in BY_VALUE else key.group]
    return select(prepared, of_group, key.since)


def shares(prepared: pd.DataFrame, valued: np.ndarray, rows: np.ndarray) -> dict[str, float | bool]:
    """valued_share and valued_share_since_2024 of the runs of `rows` that have a value, and `selection_warning`:
    whether the latter is below the former or below HALF."""
    run, found = prepared["training_run_id"], []
    for some in (rows, select(prepared, rows, LATELY)):
        known, all_ = run[some & valued].nunique(), run[some].nunique()
        found.append(round(known / all_, DIGITS) if all_ else float("nan"))
    whole, recent = found
    warning = bool(recent < max(whole, HALF))
    return {"valued_share": whole, "valued_share_since_2024": recent, "selection_warning": warning}
