"""The trend of all training runs of a group, those without a published value by their distributions.

Multiple imputation [Rubin 1987, doi:10.1002/9780470316696]: each of IMPUTATIONS draws gives every run a compute, with
the correlated errors of `traincompute.thresholds`, and resamples the runs RESAMPLES times, so that the spread of the
slopes has both. In a group a run has the day of the first of its models that is of the group, as in the line through
the published values."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pipeline.impute.eras import frontier_rank
from pipeline.impute.trends import fit, series
from pipeline.impute.trends.prepare import QUANTITIES
from pipeline.impute.trends.series import BY_VALUE, TOP_TEN, Key
from traincompute.base.quantiles import QUANTILES
from traincompute.frontier import draw
from traincompute.thresholds import DRAWS, TOGETHER, errors, standing

IMPUTATIONS = 100
RESAMPLES = 4  # of each imputation: with one, the 5 and 95 % points of a group of forty runs hang on chance
MOST = 30_000  # models: the draws of more would fill the memory
SEED = 20240101
FOUND_BY_VALUE = BY_VALUE[1:]  # the eras, which runs without a value cannot belong to


@dataclass(frozen=True)
class Completed:
    """All training runs with a distribution: `models` are their models with the columns that groups are made by, `run`
    the place of each one's run, `drawn` log10 FLOP (runs × IMPUTATIONS), and `top_ten` (the same shape) whether a run
    was among the ten largest notable ones of its day."""

    models: pd.DataFrame
    run: np.ndarray
    drawn: np.ndarray
    top_ten: np.ndarray


def complete(prepared: pd.DataFrame) -> Completed | None:
    """The runs of `prepared`, or None if it has no distributions, or more than MOST models."""
    if QUANTILES[2] not in prepared or len(prepared) > MOST:
        return None
    models = prepared.dropna(subset=QUANTILES[2]).assign(organization=prepared["organizations"].str.split(";").str[0])
    models = models.drop(columns=list(QUANTITIES))
    known = standing(models)
    known = known[~known.index.duplicated()].sort_values(["publication_date", "model_id"])
    step = DRAWS // IMPUTATIONS  # of the draws, which what all runs share puts in order, the middle of each hundredth
    some = (known.iloc[rows] for rows in np.array_split(np.arange(len(known)), len(known) // TOGETHER + 1))
    drawn = np.vstack([np.log10(draw(runs, errors(runs)[:, step // 2 :: step])) for runs in some])
    run = known.index.get_indexer(pd.Index(models["training_run_id"]))
    days = models["publication_date"].to_numpy().astype("datetime64[D]").astype("float64")
    first = _firsts(Completed(models, run, drawn, drawn), Key(TOP_TEN), days)
    rows = np.flatnonzero(~np.isnan(first))
    top_ten = np.zeros(drawn.shape, dtype=bool)
    for number, line in enumerate(drawn[rows].T):
        rank = frontier_rank(first[rows].astype("datetime64[D]"), line, np.ones(len(rows), dtype=bool), rows)
        top_ten[rows, number] = rank <= series.TOP
    return Completed(models, run, drawn, top_ten)


def _firsts(completed: Completed, key: Key, values: np.ndarray) -> np.ndarray:
    """The least of the values of each run's models that are of the group; null where none is."""
    rows = series.population(completed.models, series.plain_groups(completed.models), key)
    found = np.full(len(completed.drawn), np.nan)
    np.fmin.at(found, completed.run[rows], values[rows])
    return found


def growth(completed: Completed, key: Key) -> dict[str, float]:
    """growth_all_runs of a group with its ends, in factors a year."""
    first = _firsts(completed, key, completed.models["year"].to_numpy("float64")) - fit.EPOCH
    rows = np.flatnonzero(~np.isnan(first))
    t, drawn = first[rows, None], completed.drawn[rows]
    weights = np.ones(drawn.shape) if key.group != TOP_TEN else completed.top_ten[rows].astype("float64")
    times = fit.poisson_weights(SEED, RESAMPLES * IMPUTATIONS, len(first)).T[rows]
    middle = _slopes(t, drawn, weights).mean()
    resampled = [_slopes(t, drawn, weights * some) for some in np.split(times, RESAMPLES, axis=1)]
    low, high = fit.interval(np.concatenate(resampled))
    found = {"": middle, "_low": min(low, middle), "_high": max(high, middle)}
    return {f"growth_all_runs{end}": float(10**value) for end, value in found.items()}


def _slopes(t: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The slope of the line through each column of `y`; nan where its weights leave fewer than two distinct dates."""
    return fit.solve([(weights * part).sum(axis=0) for part in (1, t, t * t, y, t * y)])[1]
