"""The eras of compute and of its economics, and how long the fastest machine of the day would have been busy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

SECONDS_PER_DAY = 86_400


def era_compute(models: pd.DataFrame, about: Any) -> pd.Series:
    """Sevilla et al. 2022 (arXiv:2202.05924, and its code): `pre_deep_learning` before 2010, then `deep_learning`, and
    `large_scale` for notable models from September 2015 on whose log10 FLOP lies more than 0.76 standard deviations
    above the mean of the notable models published within 52 weeks before and after. Null without a date."""
    import pandas as pd

    dates = models["publication_date"]
    counted = models["is_notable"].astype("bool") & dates.notna() & models["training_compute_flop"].notna()
    score = z_scores(dates[counted], models.loc[counted, "training_compute_flop"], about["window_days"])
    large = score.reindex(models.index).gt(about["large_scale_z"]) & (dates >= pd.Timestamp(about["large_scale"]))
    return _named(dates, large, ("pre_deep_learning", "deep_learning", "large_scale"), about)


def z_scores(dates: pd.Series, flop: pd.Series, window_days: int) -> pd.Series:
    """Each model's distance from the mean of log10 FLOP in its window [day - window, day + window), in standard
    deviations (of the population) of that window, rounded to 9 digits."""
    import numpy as np
    import pandas as pd

    order = dates.sort_values(kind="stable").index
    days = dates[order].to_numpy().astype("datetime64[D]").astype("int64")
    dex = np.log10(flop[order].to_numpy())
    first, end = (np.searchsorted(days, days + way * window_days, side="left") for way in (-1, 1))
    mean, square = _window_means(dex, first, end), _window_means(dex**2, first, end)
    spread = np.sqrt(np.maximum(square - mean**2, 0))
    score = np.divide(dex - mean, spread, out=np.full(len(dex), np.nan), where=spread > 1e-6)
    return pd.Series(score.round(9), index=order)


def _window_means(values: np.ndarray, first: np.ndarray, end: np.ndarray) -> np.ndarray:
    import numpy as np

    total = np.concatenate([[0.0], np.cumsum(values)])
    means: np.ndarray = (total[end] - total[first]) / (end - first)
    return means


def era_economic(models: pd.DataFrame, days_on_first: pd.Series, about: Any) -> pd.Series:
    """After Jones 2022: `do_it_yourself` before 2010, with whatever machine was at hand; then `cloud`, and `bespoke`
    for a run that would have kept the first machine of the Top500 of its day busy for three days or longer, which
    nobody rents by the hour. Null without a date."""
    large = days_on_first >= about["bespoke_days"]
    return _named(models["publication_date"], large, ("do_it_yourself", "cloud", "bespoke"), about)


def _named(dates: pd.Series, large: pd.Series, names: tuple[str, str, str], about: Any) -> pd.Series:
    import pandas as pd

    early = dates < pd.Timestamp(about["deep_learning"])
    era = early.map({True: names[0], False: names[1]}).mask(large & ~early, names[2])
    return era.where(dates.notna()).astype("str")


def days_on_first(models: pd.DataFrame, lists: pd.DataFrame) -> pd.Series:
    """Training compute ÷ (Rmax of the first machine of the newest Top500 list at publication · 86,400 s), in days; null
    before the first list."""
    import numpy as np
    import pandas as pd

    ordered = lists.sort_values("list_date")
    dates = models["publication_date"]
    place = np.searchsorted(ordered["list_date"].to_numpy(), dates.to_numpy(), side="right") - 1
    rates = np.append(ordered["rmax_first"].to_numpy(), np.nan)  # -1, before the first list, is the last
    rate = pd.Series(rates[np.where(dates.isna(), -1, place)], index=models.index)
    return models["training_compute_flop"] / (rate * SECONDS_PER_DAY)
