"""How a model compares with others of its day: eras of compute and of its economics, days on the fastest machine, and
rank by compute among the training runs published by then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pipeline.impute.runs import first_of_run

SECONDS_PER_DAY = 86_400
SAME = 1e-6  # dex: a spread below this is rounding


def with_eras(models: pd.DataFrame, lists: pd.DataFrame, about: Any) -> pd.DataFrame:
    """The models with days_on_top500_first, era_economic, era_compute and frontier_rank. `lists` are the Top500's
    (list_date, rmax_first), `about` the constants of the eras.

    era_compute (Sevilla et al. 2022, arXiv:2202.05924, and its code): `pre_deep_learning` before 2010, then
    `deep_learning`, and `large_scale` for notable models from September 2015 on whose log10 FLOP is more than 0.76
    standard deviations above the mean of the notable models published within 52 weeks before and after. era_economic
    (Jones 2022): `do_it_yourself` before 2010, with whatever machine was at hand; then `cloud`, and `bespoke` for a run
    that would have kept the first machine in the Top500 of its day busy for three days or longer, which nobody rents by
    the hour. Models are compared with published values of notable ones."""
    flop = models["training_compute_flop"].to_numpy()
    date = models["publication_date"].to_numpy().astype("datetime64[D]")
    early = date < np.datetime64(about["deep_learning"])
    ranked = notable_or_all(models["is_notable"]).to_numpy() & ~np.isnat(date) & ~np.isnan(flop)
    counted = ranked & (models["training_compute_source"] != "imputed").to_numpy(dtype="bool")
    busy, large = days_on_first(date, flop, lists), np.zeros(len(flop), dtype="bool")
    scores = z_scores(date[ranked], flop[ranked], counted[ranked], about["window_days"])
    large[ranked] = scores > about["large_scale_z"]
    large &= date >= np.datetime64(about["large_scale"])
    eras = {
        "era_economic": np.select([early, busy >= about["bespoke_days"]], ["do_it_yourself", "bespoke"], "cloud"),
        "era_compute": np.select([early, large], ["pre_deep_learning", "large_scale"], "deep_learning"),
    }
    index, run = models.index, models["training_run_id"].fillna(models["model_id"]).to_numpy(dtype=object)
    return models.assign(
        days_on_top500_first=busy,
        frontier_rank=frontier_rank(date, flop, counted, run),
        **{name: pd.Series(era, index, dtype="str").mask(np.isnat(date)) for name, era in eras.items()},
    )


def notable_or_all(is_notable: pd.Series) -> pd.Series:
    """Which models are notable; all of them in a vintage from before the notable file existed."""
    notable = is_notable.fillna(False).astype(bool)
    return notable if notable.any() else ~notable


def z_scores(date: np.ndarray, flop: np.ndarray, counted: np.ndarray, window_days: int) -> np.ndarray:
    """Each model's distance from the mean of log10 FLOP of the counted ones in its window [day - window, day + window),
    in standard deviations (of the population) of that window; null where all are equal, or none."""
    day, dex = date.astype("int64"), np.log10(flop)
    apart = day[counted] - day[:, None]
    inside = (apart >= -window_days) & (apart < window_days)
    mean, square = (inside @ part / np.maximum(inside.sum(axis=1), 1) for part in (dex[counted], dex[counted] ** 2))
    spread = np.sqrt(np.maximum(square - mean**2, 0))
    return np.asarray(np.divide(dex - mean, spread, out=np.full(len(dex), np.nan), where=spread > SAME).round(9))


def days_on_first(date: np.ndarray, flop: np.ndarray, lists: pd.DataFrame) -> np.ndarray:
    """Training compute ÷ (Rmax of the first machine of the newest Top500 list · 86,400 s), in days."""
    days = lists["list_date"].to_numpy().astype("datetime64[D]")
    order = np.argsort(days, kind="stable")
    place = np.where(np.isnat(date), -1, np.searchsorted(days[order], date, side="right") - 1)
    rates = np.append(lists["rmax_first"].to_numpy()[order], np.nan)  # -1, before the first list, is the last
    return np.asarray(flop / (rates[place] * SECONDS_PER_DAY))


def frontier_rank(date: np.ndarray, flop: np.ndarray, counted: np.ndarray, run: np.ndarray) -> np.ndarray:
    """One more than the number of runs published by then whose first counted model exceeds a counted model in FLOP, so
    1 for the largest so far; null for models that do not count (notable, dated, published FLOP)."""
    ranks, days, values = np.full(len(flop), np.nan), date[counted].astype("int64"), flop[counted]
    first = first_of_run(run[counted], days)
    days_of, values_of = days[first], values[first]
    larger = [((values_of > value) & (days_of <= day)).sum() for day, value in zip(days, values, strict=True)]
    ranks[counted] = np.array(larger) + 1
    return ranks
