"""The published tables `trends`, a row per quantity and group of models with the line through its values, and
`thresholds`, the numbers of training runs above round thresholds, by year.

A line goes through published values alone, of each training run the first model that is of the group: least squares in
closed form. In a resample every model counts a Poisson number of times with mean 1 (the Poisson bootstrap: Hanley &
MacGibbon 2006, doi:10.1016/j.cmpb.2006.04.006), the same in all groups, and each copy is shifted by a normal draw with
its own standard deviation. What all runs do, those without a value by their distributions, is multiple imputation
[Rubin 1987, doi:10.1002/9780470316696]: each of IMPUTATIONS draws gives every run a compute, with the correlated errors
of `traincompute.thresholds`, and resamples the runs RESAMPLES times, so that the spread of the slopes has both."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pipeline.frames import conform, is_in, items_of
from pipeline.impute.eras import frontier_rank, notable_or_all
from pipeline.impute.predictions import values
from pipeline.impute.results import has_word
from pipeline.impute.runs import first_of_run
from pipeline.schema import TableSchema
from traincompute import thresholds
from traincompute.base.distributions import QUANTILES, Z, normals

FLOP = "training_compute_flop"  # the quantity of which there are distributions
QUANTITIES = {FLOP: "FLOP", "parameters": "parameter", "training_tokens": "token", "training_cost_usd": "USD",
              "training_power_w": "W", "hardware_quantity": "chip"}  # fmt: skip
# the columns with the ends of a quantity's 90 % interval, of those that have one
ENDS = {name: [name.removesuffix("_flop") + end for end in ("_low", "_high")]
        for name in (FLOP, "training_cost_usd", "training_power_w")}  # fmt: skip
ERAS = ["era_compute", "era_economic"]
COLUMNS = ["model_id", "publication_date", "is_notable", "is_frontier_upstream", "domains", "countries",
           "organizations", "training_run_id", "training_compute_confidence", "frontier_rank", *ERAS,
           *QUANTITIES, *(end for ends in ENDS.values() for end in ends)]  # fmt: skip
BANDS = {"confident": 3.0, "likely": 10.0, "speculative": 31.0}  # by confidence word, a factor either way
TOP, TOP_TEN = 10, "running_top_ten"
MODERN = "2010-01-01"  # the date from which countries and organisations are compared
MIN_POINTS, MIN_MEMBER, MIN_YEARS = 8, 20, 3.0  # of a line; a country or an organisation needs MIN_MEMBER points
MEMBER_QUANTITIES = (FLOP, "parameters", "training_cost_usd")  # that they are compared by
MEMBERS_IN = {"country": "countries", "organization": "organizations"}
BY_VALUE = (TOP_TEN, *ERAS)  # groups that are found by their values
# group → from which days on
GROUPS = {"all": ["", MODERN], "notable": ["", MODERN, "2018-01-01"], "frontier_flag": ["", MODERN], TOP_TEN:
          ["", MODERN, "2018-01-01"], "language": ["2017-06-01"], "notable_language": ["2017-06-01"]}  # fmt: skip
LATELY = "2024-01-01"  # since when most developers of large models publish no value
SHARE_DIGITS, DIGITS = 4, 6  # well above the last bits, which may differ between machines
EPOCH = 2020.0  # years are counted from here, which keeps the sums well conditioned
DRAWS, LINE_SEED, TAILS = 1000, 20220503, (0.05, 0.95)  # of the lines through published values
IMPUTATIONS, SEED = 100, 20240101
RESAMPLES = 4  # of each imputation: with one, the 5 and 95 % points of a group of forty runs hang on chance
THRESHOLDS_FLOP = (1e23, 1e24, 1e25, 1e26)


class Lines(NamedTuple):
    """One entry (or column) per group: log10 value = level + slope × (year − 2020), and its bootstrap draws."""

    n: np.ndarray
    slope: np.ndarray
    level: np.ndarray
    slopes: np.ndarray  # draws × groups, models resampled and values shifted
    sampled: np.ndarray  # draws × groups, models resampled but values not shifted


class Key(NamedTuple):
    """One group of models: the kind of group, which one of that kind, and from which day on."""

    group: str
    member: str = ""
    since: str = ""


class AllRuns(NamedTuple):
    """All training runs with a distribution: `models` are their models with the columns that groups are made by, `run`
    the place of each one's run, `drawn` log10 FLOP (runs × IMPUTATIONS), and `top_ten` (the same shape) whether a run
    was among the ten largest notable ones of its day."""

    models: pd.DataFrame
    run: np.ndarray
    drawn: np.ndarray
    top_ten: np.ndarray


def prepare(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Dated models of training runs with `year`, eras (if notable, of published FLOP), whether they are of each of
    GROUPS, and the columns that distributions are drawn from.

    Reads models (with ranks and eras, see eras.py) and, if present, estimates and predictions. Values that were
    estimated here are left out: a trend through them would partly be a trend through the method."""
    found = tables["models"].reindex(columns=COLUMNS)
    if "estimates" in tables:
        made = tables["estimates"]
        made = made[made["is_selected"].to_numpy(dtype="bool") & made["value"].notna().to_numpy()]
        for field in QUANTITIES:
            of_field = made.loc[made["field"] == field, "model_id"]
            found[field] = found[field].mask(is_in(found["model_id"], of_field))
    if "predictions" in tables:
        columns = ["model_id", "tier", *QUANTILES, *thresholds.BOUNDS]
        found = found.merge(tables["predictions"][columns], on="model_id", how="left")
    if found["training_run_id"].notna().any():
        found = found[found["training_run_id"].notna()]
    found = found[found["publication_date"].notna()].reset_index(drop=True)
    notable, language = notable_or_all(found["is_notable"]), has_word(found["domains"], "Language")
    rank, flag = found["frontier_rank"].astype("float64"), found["is_frontier_upstream"].fillna(False)
    groups: dict[str, Any] = {
        "all": True,
        "notable": notable,
        "frontier_flag": flag.astype("bool") & notable,
        TOP_TEN: rank <= TOP,
        "language": language,
        "notable_language": language & notable,
    }
    return found.assign(
        year=decimal_year(found["publication_date"]),
        training_run_id=found["training_run_id"].astype("str").fillna(found["model_id"]),
        frontier_rank=rank,
        **found[ERAS].astype("str").where(notable & found[FLOP].notna()),
        **groups,
    )


def decimal_year(dates: pd.Series) -> pd.Series:
    """Dates as decimal years: 1970 + days since 1970-01-01 / 365.2425."""
    return 1970 + (dates - pd.Timestamp("1970-01-01")).dt.days / 365.2425


def make_points(prepared: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """The models that have a value of the quantity, with its `log10` and its uncertainty `sd_dex`, the standard
    deviation of log10: from the value's 90 % interval, else for FLOP from the source's confidence word, else 0."""
    points = prepared[prepared[quantity].notna()].reset_index(drop=True)
    spread = pd.Series(np.nan, index=points.index)
    if quantity in ENDS:
        low, high = np.log10(points[ENDS[quantity]].to_numpy("float64")).T
        spread = pd.Series((high - low) / (2 * Z[-1]), points.index)  # the ends of a 90 % interval
    if quantity == FLOP:
        words = {word: math.log10(band) / Z[-1] for word, band in BANDS.items()}
        spread = spread.fillna(points["training_compute_confidence"].map(words).astype("float64"))
    made = points.assign(log10=np.log10(points[quantity]), sd_dex=spread.fillna(0.0))
    return made.drop(columns=[*QUANTITIES, *(end for ends in ENDS.values() for end in ends)])


def of_group(models: pd.DataFrame, key: Key, until: str = "") -> np.ndarray:
    """Whether each model is of a group, and was published before `until`."""
    if key.group in MEMBERS_IN:
        found = has_word(models[MEMBERS_IN[key.group]], key.member)
    else:
        found = models[key.group] == (key.member or True)
    dates = models["publication_date"].to_numpy()
    inside = (dates >= np.datetime64(key.since or "1900-01-01")) & (dates < np.datetime64(until or "2200-01-01"))
    return np.asarray(found, dtype=bool) & inside


def population(prepared: pd.DataFrame, key: Key) -> np.ndarray:
    """Which models may be of a group, with a value or without: of groups found by their values the notable ones."""
    return of_group(prepared, Key("notable", since=key.since) if key.group in BY_VALUE else key)


def make_groups(points: pd.DataFrame, members: bool = True) -> dict[Key, np.ndarray]:
    """The places of the first model of each run, of the groups with enough training runs over enough years for a line
    to mean something; `members` adds countries and organisations since 2010, joint models count for each."""
    keys = [Key(group, since=since) for group, days in GROUPS.items() for since in days]
    keys += [Key(kind, era) for kind in ERAS for era in points[kind].dropna().unique()]
    for kind, column in MEMBERS_IN.items() if members else ():
        counts = items_of(points[column])[0].value_counts()
        keys += [Key(kind, str(name), MODERN) for name in counts.index[counts >= MIN_MEMBER]]
    run, date = pd.factorize(points["training_run_id"])[0], points["publication_date"].to_numpy()
    year, groups = points["year"].to_numpy(), {}
    for key in keys:
        rows = np.flatnonzero(of_group(points, key))
        firsts = rows[first_of_run(run[rows], date[rows])]
        least = MIN_MEMBER if key.group in MEMBERS_IN else MIN_POINTS
        if len(firsts) >= least and np.ptp(year[firsts]) >= MIN_YEARS:
            groups[key] = firsts
    return groups


def make_trends(prepared: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """The table for prepared models."""
    runs, rows = draw_all_runs(prepared), list[dict[str, Any]]()
    for quantity in QUANTITIES:
        rows += quantity_rows(prepared, quantity, runs)
    return conform(pd.DataFrame(rows, columns=table.names), table)


def quantity_rows(prepared: pd.DataFrame, quantity: str, runs: AllRuns | None = None) -> list[dict[str, Any]]:
    """A row for each group that has enough values of a quantity."""
    points, valued = make_points(prepared, quantity), prepared[quantity].notna().to_numpy()
    groups = make_groups(points, quantity in MEMBER_QUANTITIES)
    found = fit_lines(points, list(groups.values()))
    rows = []
    for key, firsts, n, slope, level, (low, high) in zip(
        groups, groups.values(), found.n, found.slope, found.level, interval(found.slopes).T, strict=True
    ):
        days = points["publication_date"].iloc[firsts]
        row = {
            "trend_id": ":".join(part for part in (quantity, key.group, key.member, key.since[:4]) if part),
            "quantity": quantity,
            "unit": QUANTITIES[quantity],
            "group": key.group,
            "member": key.member or None,
            "since": pd.Timestamp(key.since) if key.since else pd.NaT,
            "first_date": days.min(),
            "last_date": days.max(),
            "n": int(n),
            "models": int(of_group(points, key).sum()),
            "level_2020": 10**level,
            **{f"growth_{end}": 10**at for end, at in (("per_year", slope), ("low", low), ("high", high))},
            **{f"doubling_{end}": doubling_months(at) for end, at in (("months", slope), ("low", high), ("high", low))},
            **shares(prepared, valued, key),
        }
        if runs and quantity == FLOP and key.group not in ERAS:
            row |= growth_of_all(runs, key)
        rows.append({name: float(f"{v:.{DIGITS}g}") if isinstance(v, float) else v for name, v in row.items()})
    return rows


def fit_lines(points: pd.DataFrame, groups: Sequence[np.ndarray]) -> Lines:
    """Lines through groups of `points` (year, log10, sd_dex), by the places of their points; slopes in dex a year."""
    year, log10, sd = (points[name].to_numpy("float64") for name in ("year", "log10", "sd_dex"))
    t, inside = year - EPOCH, np.zeros((len(year), len(groups)))
    for i, rows in enumerate(groups):
        inside[rows, i] = 1
    parts = [values[:, None] * inside for values in (t**0, t, t * t, log10, t * log10)]
    weights = poisson_weights(LINE_SEED, DRAWS, len(t))
    drawn = [weights @ part for part in parts]
    sampled = slopes = solve(drawn)[1]
    if sd.any():  # each copy of a model has an error of its own, so that variances add
        shift = normals(words(LINE_SEED + 1, weights.size)).reshape(weights.shape)
        shift *= np.sqrt(weights, out=weights)  # in place: there are millions
        shift *= sd
        moved = drawn[3] + shift @ inside
        shift *= t
        slopes = solve([*drawn[:3], moved, drawn[4] + shift @ inside])[1]
    return Lines(*solve([part.sum(axis=0) for part in parts]), slopes, sampled)


def solve(sums: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weight, slope and level at 2020 from Σw, Σwt, Σwt², Σwy and Σwty; nan with fewer than two dates."""
    n, st, stt, sy, sty = sums
    spread = n * stt - st * st
    spread = np.where(spread > 1e-9, spread, np.nan)
    slope = (n * sty - st * sy) / spread
    return n, slope, (sy - slope * st) / np.where(n > 0, n, np.nan)


def interval(values: np.ndarray) -> np.ndarray:
    """The 5 % and 95 % points of the draws of each group, as a 2 × groups array."""
    return np.asarray(np.nanquantile(values, TAILS, axis=0))


def doubling_months(slope: float) -> float:
    """Months in which a quantity that grows by a factor of 10^slope per year doubles; nan where it does not grow."""
    return 12 * math.log10(2) / slope if slope > 0 else math.nan


def shares(prepared: pd.DataFrame, valued: np.ndarray, key: Key) -> dict[str, float | bool]:
    """valued_share and valued_share_since_2024 of the runs of a group that have a value, and `selection_warning`:
    whether the latter is below the former or below half."""
    run, rows, found = prepared["training_run_id"], population(prepared, key), []
    for some in (rows, rows & (prepared["publication_date"] >= LATELY).to_numpy()):
        known, all_ = run[some & valued].nunique(), run[some].nunique()
        found.append(round(known / all_, SHARE_DIGITS) if all_ else math.nan)
    warning = bool(found[1] < max(found[0], 0.5))
    return {"valued_share": found[0], "valued_share_since_2024": found[1], "selection_warning": warning}


def draw_all_runs(prepared: pd.DataFrame) -> AllRuns | None:
    """The runs of `prepared`, or None if it has no distributions."""
    if QUANTILES[2] not in prepared:
        return None
    models = prepared.dropna(subset=QUANTILES[2]).assign(organization=prepared["organizations"].str.split(";").str[0])
    models = models.drop(columns=list(QUANTITIES))
    known = thresholds.standing(models)
    known = known[~known.index.duplicated()].sort_values(["publication_date", "model_id"])
    step = thresholds.DRAWS // IMPUTATIONS  # what all runs share puts the draws in order: the middle of each hundredth
    some = (known.iloc[rows] for rows in np.array_split(np.arange(len(known)), len(known) // 256 + 1))  # less memory
    drawn = np.vstack([np.log10(_draw(runs, thresholds.errors(runs)[:, step // 2 :: step])) for runs in some])
    run, top_ten = known.index.get_indexer(pd.Index(models["training_run_id"])), np.zeros(drawn.shape, dtype=bool)
    days = models["publication_date"].to_numpy().astype("datetime64[D]").astype("float64")
    first = _firsts(AllRuns(models, run, drawn, top_ten), Key(TOP_TEN), days)
    rows = np.flatnonzero(~np.isnan(first))
    for number, line in enumerate(drawn[rows].T):
        rank = frontier_rank(first[rows].astype("datetime64[D]"), line, np.ones(len(rows), dtype=bool), rows)
        top_ten[rows, number] = rank <= TOP
    return AllRuns(models, run, drawn, top_ten)


def _draw(known: pd.DataFrame, error: np.ndarray) -> np.ndarray:
    """Models × draws: the compute that an error in standard deviations gives each, within what is possible."""
    flop = 10 ** values(np.log10(known[QUANTILES].to_numpy("float64")), error)
    bounds = known["least_flop"], known["most_flop"].clip(lower=known[QUANTILES[-1]])
    least, most = (bound.to_numpy("float64")[:, None] for bound in bounds)
    return np.asarray(np.fmin(np.fmax(flop, least), most))  # which pass over what is not known


def _firsts(runs: AllRuns, key: Key, values: np.ndarray) -> np.ndarray:
    """The least of the values of each run's models that are of the group; null where none is."""
    rows, found = population(runs.models, key), np.full(len(runs.drawn), np.nan)
    np.fmin.at(found, runs.run[rows], values[rows])
    return found


def growth_of_all(runs: AllRuns, key: Key) -> dict[str, float]:
    """growth_all_runs of a group with its ends, in factors a year."""
    first = _firsts(runs, key, runs.models["year"].to_numpy("float64")) - EPOCH
    rows = np.flatnonzero(~np.isnan(first))
    t, drawn = first[rows, None], runs.drawn[rows]
    counts = runs.top_ten[rows] if key.group == TOP_TEN else np.ones(drawn.shape)

    def slopes(weights: np.ndarray) -> np.ndarray:
        """The slope of the line through each column of `drawn`; nan where too little is left."""
        return solve([(weights * part).sum(axis=0) for part in (1, t, t * t, drawn, t * drawn)])[1]

    times = poisson_weights(SEED, RESAMPLES * IMPUTATIONS, len(first))[:, rows].T
    middle = slopes(counts).mean()
    low, high = interval(np.concatenate([slopes(counts * some) for some in np.split(times, RESAMPLES, axis=1)]))
    found = {"": middle, "_low": min(low, middle), "_high": max(high, middle)}
    return {f"growth_all_runs{end}": float(10**value) for end, value in found.items()}


def make_thresholds(models: pd.DataFrame, predictions: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """The table, from the columns of `models` and `predictions` that `traincompute.thresholds` counts."""
    known, dates = models.merge(predictions, on="model_id")[thresholds.COLUMNS], models["publication_date"]
    scopes = {"all": known, "notable": known[known["is_notable"].astype("bool")]}
    counted = [thresholds.by_year(some, THRESHOLDS_FLOP, thresholds.year_ends(dates)) for some in scopes.values()]
    rows = pd.concat(map(pd.DataFrame, counted), keys=scopes, names=["scope"]).reset_index("scope")
    power = rows["threshold_flop"].map(lambda flop: f"{flop:.0e}".replace("+", ""))
    return conform(rows.assign(threshold_id=power + ":" + rows["scope"] + ":" + rows["published_until"]), table)


def words(seed: int, n: int) -> np.ndarray:
    """n whole numbers of 64 bits, of PCG64."""
    return np.random.PCG64(seed).random_raw(n).astype("<u8", copy=False)


def poisson_weights(seed: int, draws: int, n: int) -> np.ndarray:
    """draws × n weights, Poisson with mean 1: how often a row occurs in a resample; by inversion of 65,536 slices."""
    steps = np.cumsum([math.exp(-1) / math.factorial(k) for k in range(12)])
    poisson = np.asarray(np.searchsorted(steps, (np.arange(2**16) + 0.5) / 2**16), dtype="float64")
    levels = words(seed, -(-draws * n // 4)).view("<u2")[: draws * n]
    return np.asarray(poisson[levels].reshape(draws, n))
