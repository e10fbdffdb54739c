"""Which models a trend is fitted to: for each quantity, the dated values and the groups among them."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pipeline.frames import items_of
from pipeline.impute.derive.run_ids import first_of_run
from pipeline.impute.flop.result import has_word
from pipeline.impute.trends.prepare import QUANTITIES, interval_of, notable_or_all
from traincompute.base.quantiles import Z

# 90 % bands of the source's confidence words, a factor either way [epoch.ai/data/ai-models-documentation/estimation]
BANDS = {"confident": 3.0, "likely": 10.0, "speculative": 31.0}
Z90 = Z[-1]  # a 90 % interval is ± this many standard deviations
TOP = 10
MODERN = "2010-01-01"  # the date from which countries and organisations are compared
MIN_POINTS = 8
MIN_MEMBER = 20  # of a country or an organisation
MEMBER_QUANTITIES = ("training_compute_flop", "parameters", "training_cost_usd")  # that they are compared by
MIN_YEARS = 3.0
SINCE = {
    "all": ["", "2010-01-01"],
    "notable": ["", "2010-01-01", "2018-01-01"],
    "frontier_flag": ["", "2010-01-01"],
    "running_top_ten": ["", "2010-01-01", "2018-01-01"],
    "language": ["2017-06-01"],
    "notable_language": ["2017-06-01"],
}
MEMBERS_IN = {"country": "countries", "organization": "organizations"}
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
    """The models that have a value of the quantity, with its `log10` and its uncertainty `sd_dex` in powers of ten."""
    others = [name for other in QUANTITIES if other != quantity for name in (other, *interval_of(other))]
    points = prepared.drop(columns=others)[prepared[quantity].notna()].reset_index(drop=True)
    return points.assign(log10=np.log10(points[quantity]), sd_dex=_own_uncertainty(points, quantity))


def _own_uncertainty(points: pd.DataFrame, quantity: str) -> pd.Series:
    """Standard deviation of log10 of each value: from its 90 % interval, else for FLOP from the source's confidence
    word, else 0."""
    found = pd.Series(np.nan, index=points.index)
    if ends := interval_of(quantity):
        low, high = (points[end].astype("float64") for end in ends)
        found = (high.transform(np.log10) - low.transform(np.log10)) / (2 * Z90)
    if quantity == "training_compute_flop":
        words = {word: math.log10(band) / Z90 for word, band in BANDS.items()}
        found = found.fillna(points["training_compute_confidence"].map(words).astype("float64"))
    return found.fillna(0.0)


def make_groups(points: pd.DataFrame, members: bool = True) -> dict[Key, Group]:
    """The groups with enough training runs over enough years for a line to mean something; `members` adds countries and
    organisations."""
    plain = plain_groups(points)
    wanted = {
        Key(group, since=since): select(points, plain[group], since) for group, days in SINCE.items() for since in days
    }
    for kind in ("era_compute", "era_economic"):
        wanted |= {Key(kind, era): points[kind].to_numpy() == era for era in sorted(points[kind].dropna().unique())}
    places = {key: np.flatnonzero(rows) for key, rows in wanted.items()}
    if members:
        places |= _members(points, "country", "countries") | _members(points, "organization", "organizations")
    run, date = pd.factorize(points["training_run_id"])[0], points["publication_date"].to_numpy()
    groups = {key: Group(rows, rows[first_of_run(run[rows], date[rows])]) for key, rows in places.items()}
    years = {key: points["year"].to_numpy()[group.runs] for key, group in groups.items()}
    need = {key: MIN_MEMBER if key.group in MEMBERS_IN else MIN_POINTS for key in groups}
    enough = {key for key, year in years.items() if len(year) >= need[key] and np.ptp(year) >= MIN_YEARS}
    return {key: group for key, group in groups.items() if key in enough}


def plain_groups(points: pd.DataFrame) -> dict[str, pd.Series]:
    """The rows of each group that is not split into members, whatever their date."""
    notable = notable_or_all(points)
    language = has_word(points["domains"], "Language")
    return {
        "all": notable | ~notable,
        "notable": notable,
        "frontier_flag": points["is_frontier_upstream"].fillna(False).astype(bool) & notable,
        "running_top_ten": points["frontier_rank"] <= TOP,
        "language": language,
        "notable_language": language & notable,
    }


def select(points: pd.DataFrame, rows: pd.Series | np.ndarray, since: str = "", until: str = "") -> np.ndarray:
    """The rows that were published from `since` on and before `until`, as a mask."""
    dates = points["publication_date"].to_numpy()
    inside = (dates >= np.datetime64(since or "1900-01-01")) & (dates < np.datetime64(until or "2200-01-01"))
    return np.asarray(rows, dtype=bool) & inside


def _members(points: pd.DataFrame, group: str, column: str) -> dict[Key, np.ndarray]:
    """The models since 2010 of each country or organisation that has enough of them; joint models count for each."""
    names, places = items_of(points[column])
    recent = (points["publication_date"] >= MODERN).to_numpy()[places]
    names, places = names[recent], places[recent]
    found = {str(name): places[rows] for name, rows in names.groupby(names).indices.items()}
    return {Key(group, name, MODERN): found[name] for name in sorted(found) if len(found[name]) >= MIN_MEMBER}


def shares(prepared: pd.DataFrame, plain: Mapping[str, pd.Series], quantity: str, key: Key) -> dict[str, Any]:
    """valued_share and valued_share_since_2024, and `selection_warning`: whether the latter is below the former or
    below HALF. `plain` are the plain groups of `prepared`."""
    rows = select(prepared, population(prepared, plain, key), key.since)
    run, valued = prepared["training_run_id"], prepared[quantity].notna().to_numpy()
    some = rows, select(prepared, rows, LATELY)
    runs = [(run[each & valued].nunique(), run[each].nunique()) for each in some]
    whole, recent = (round(known / all_, DIGITS) if all_ else float("nan") for known, all_ in runs)
    return {
        "valued_share": whole,
        "valued_share_since_2024": recent,
        "selection_warning": bool(recent < max(whole, HALF)),
    }


def population(prepared: pd.DataFrame, plain: Mapping[str, pd.Series], key: Key) -> np.ndarray:
    """Which models may be of a group, with a value or without: for groups that are found by their values (the running
    top ten, eras) the notable ones."""
    if key.group in MEMBERS_IN:
        return has_word(prepared[MEMBERS_IN[key.group]], key.member).to_numpy(dtype="bool")
    by_value = key.group not in plain or key.group == "running_top_ten"
    return (notable_or_all(prepared) if by_value else plain[key.group]).to_numpy(dtype="bool")
