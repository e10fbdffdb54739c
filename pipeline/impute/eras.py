"""The eras of compute and of its economics, and how long each run would have kept the fastest machine of its day
busy; and the rank by compute among the training runs published on or before its day."""

from typing import Any

import numpy as np
import pandas as pd

from pipeline.impute.runs import first_of_run

SECONDS_PER_DAY = 86_400
SAME = 1e-6  # dex: a spread below this is rounding


def among_all(
    date: np.ndarray,
    flop: np.ndarray,
    ranked: np.ndarray,
    counted: np.ndarray,
    run: np.ndarray,
    lists: pd.DataFrame,
    about: Any,
) -> dict[str, np.ndarray]:
    """days_on_top500_first, era_economic, era_compute and frontier_rank of each model. `ranked` are the notable models
    with a date and FLOP, `counted` those of them whose FLOP is published and is compared with; `run` names the training
    run; `lists` are the Top500's (list_date, rmax_first), `about` the constants of the eras."""
    busy = days_on_first(date, flop, lists)
    return {
        "days_on_top500_first": busy,
        "era_economic": era_economic(date, busy, about),
        "era_compute": era_compute(date, flop, ranked, counted, about),
        "frontier_rank": frontier_rank(date, flop, counted, run),
    }


def era_compute(date: np.ndarray, flop: np.ndarray, ranked: np.ndarray, counted: np.ndarray, about: Any) -> np.ndarray:
    """Sevilla et al. 2022 (arXiv:2202.05924, and its code): `pre_deep_learning` before 2010, then `deep_learning`, and
    `large_scale` for notable models from September 2015 on whose log10 FLOP is more than 0.76 standard deviations
    above the mean of the notable models published within 52 weeks before and after. None without a date. `ranked`
    are the notable models with a date and FLOP, `counted` those of them whose FLOP is published and makes the mean."""
    large = np.zeros(len(flop), dtype="bool")
    scores = z_scores(date[ranked], flop[ranked], counted[ranked], about["window_days"])
    large[ranked] = scores > about["large_scale_z"]
    large &= date >= np.datetime64(about["large_scale"])
    return _named(date, large, ("pre_deep_learning", "deep_learning", "large_scale"), about)


def z_scores(date: np.ndarray, flop: np.ndarray, counted: np.ndarray, window_days: int) -> np.ndarray:
    """Each model's distance from the mean of log10 FLOP of the counted ones in its window [day - window, day + window),
    in standard deviations (of the population) of that window, rounded to 9 digits; null where all are equal, or
    none."""
    order = np.flatnonzero(counted)[np.argsort(date[counted], kind="stable")]
    own, dex = date.astype("int64"), np.log10(flop)
    days, values = own[order], dex[order]
    first, end = (np.searchsorted(days, own + way * window_days, side="left") for way in (-1, 1))
    sums = [np.concatenate([[0.0], np.cumsum(part)]) for part in (values, values**2)]
    mean, square = ((part[end] - part[first]) / np.maximum(end - first, 1) for part in sums)
    spread = np.sqrt(np.maximum(square - mean**2, 0))
    scores = np.divide(dex - mean, spread, out=np.full(len(dex), np.nan), where=spread > SAME)
    return np.asarray(scores.round(9))


def era_economic(date: np.ndarray, days_busy: np.ndarray, about: Any) -> np.ndarray:
    """After Jones 2022: `do_it_yourself` before 2010, with whatever machine was at hand; then `cloud`, and `bespoke`
    for a run that would have kept the first machine in the Top500 of its day busy for three days or longer, which
    nobody rents by the hour. None without a date."""
    return _named(date, days_busy >= about["bespoke_days"], ("do_it_yourself", "cloud", "bespoke"), about)


def _named(date: np.ndarray, large: np.ndarray, names: tuple[str, str, str], about: Any) -> np.ndarray:
    early = date < np.datetime64(about["deep_learning"])
    code = np.select([np.isnat(date), early, large], [3, 0, 2], 1)
    return np.asarray(np.array([*names, None], dtype=object)[code])


def days_on_first(date: np.ndarray, flop: np.ndarray, lists: pd.DataFrame) -> np.ndarray:
    """Training compute ÷ (Rmax of the first machine of the newest Top500 list at publication · 86,400 s), in days; null
    before the first list."""
    days = lists["list_date"].to_numpy().astype("datetime64[D]")
    order = np.argsort(days, kind="stable")
    place = np.where(np.isnat(date), -1, np.searchsorted(days[order], date, side="right") - 1)
    rates = np.append(lists["rmax_first"].to_numpy()[order], np.nan)  # -1, before the first list, is the last
    return np.asarray(flop / (rates[place] * SECONDS_PER_DAY))


def frontier_rank(date: np.ndarray, flop: np.ndarray, counted: np.ndarray, run: np.ndarray) -> np.ndarray:
    """One more than the number of runs published by then whose first counted model exceeds a counted model in FLOP, so
    1 for the largest so far; null (NaN) for models that do not count. `counted` are the notable models with a date and
    published FLOP."""
    ranks, days, values = np.full(len(flop), np.nan), date[counted].astype("int64"), flop[counted]
    first = first_of_run(run[counted], days)
    days_of, values_of = days[first], values[first]
    larger = [((values_of > value) & (days_of <= day)).sum() for day, value in zip(days, values, strict=True)]
    ranks[counted] = np.array(larger) + 1
    return ranks
