"""Eras of training compute and the running rank of a model: pure functions of date and FLOP.

Sevilla et al. 2022 (arXiv:2202.05924, section 3) tell three eras apart: before deep learning, deep learning from 2010
on, and large-scale models from September 2015 on. They pick the large-scale models by their distance above the others
of their time; the rule here is fixed in numbers, so that it can be repeated: log10 FLOP more than 0.76 standard
deviations above the mean of the models published within a year of it.

The economic eras of The Shape of Code (Jones 2022) ask who pays for the machines: do-it-yourself (what a researcher has
at hand), cloud (rented by the hour) and bespoke (built for the purpose). Their sizes there (18, 74, 14 points) show
that they are the same three sets under other names, and so they are here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

DEEP_LEARNING = "2010-01-01"
LARGE_SCALE = "2015-09-01"
WINDOW_YEARS = 1.0
LARGE_SCALE_Z = 0.76
ECONOMIC = {"pre_deep_learning": "do_it_yourself", "deep_learning": "cloud", "large_scale": "bespoke"}


def decimal_year(dates: pd.Series) -> pd.Series:
    """Dates as years with fraction: 1970 + days since 1970-01-01 / 365.2425."""
    import pandas as pd

    return 1970 + (dates - pd.Timestamp("1970-01-01")).dt.days / 365.2425


def era_compute(dates: pd.Series, flop: pd.Series) -> pd.Series:
    """pre_deep_learning, deep_learning or large_scale for each model with date and FLOP, else null."""
    known = dates.notna() & flop.notna()
    era = dates.where(known).astype("str").mask(known, "deep_learning").mask(~known)
    era = era.mask(known & (dates < DEEP_LEARNING), "pre_deep_learning")
    z = window_z(dates[known], flop[known]).reindex(dates.index)
    return era.mask(known & (dates >= LARGE_SCALE) & (z > LARGE_SCALE_Z), "large_scale")


def era_economic(era: pd.Series) -> pd.Series:
    """do_it_yourself, cloud or bespoke from the era of compute."""
    return era.map(ECONOMIC)


def window_z(dates: pd.Series, flop: pd.Series) -> pd.Series:
    """How many standard deviations log10 FLOP lies above the mean of the models at most a year away (itself included)."""
    import numpy as np
    import pandas as pd

    year, log = decimal_year(dates).to_numpy(), np.log10(flop.to_numpy())
    order = np.argsort(year, kind="stable")
    year, log = year[order], log[order]
    first, last = np.searchsorted(year, year - WINDOW_YEARS), np.searchsorted(year, year + WINDOW_YEARS, "right")
    n = last - first
    mean = _window_sum(log, first, last) / n
    spread = np.sqrt(np.maximum(_window_sum(log**2, first, last) / n - mean**2, 0))
    z = np.divide(log - mean, spread, out=np.zeros_like(log), where=spread > 1e-9)
    return pd.Series(z, index=dates.index[order]).reindex(dates.index)


def _window_sum(values: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    import numpy as np

    total = np.concatenate([[0.0], np.cumsum(values)])
    return np.asarray(total[last] - total[first])


def running_rank(dates: pd.Series, flop: pd.Series) -> pd.Series:
    """Rank by FLOP among the models published until the same day (1 = largest so far); null without date or FLOP."""
    import numpy as np
    import pandas as pd

    known = dates.notna() & flop.notna()
    day, value = dates[known].to_numpy(), flop[known].to_numpy()
    above = (value[None, :] > value[:, None]) & (day[None, :] <= day[:, None])
    return pd.Series(1.0 + np.count_nonzero(above, axis=1), index=dates.index[known]).reindex(dates.index)
