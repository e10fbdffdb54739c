"""The trend of all training runs of a group, those without a published value by their distributions.

Multiple imputation [Rubin 1987, doi:10.1002/9780470316696]: each of IMPUTATIONS draws gives every run a compute, with
the correlated errors of `traincompute.thresholds`, and resamples the runs RESAMPLES times, so that the spread of the
slopes has both. In a group a run has the day of the first of its models that is of the group, as in the line through
the published values."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from pipeline.impute.eras import frontier_rank
from pipeline.impute.trends import fit, series
from pipeline.impute.trends.series import TOP_TEN, Key
from traincompute.base.quantiles import QUANTILES
from traincompute.frontier import draw
from traincompute.thresholds import DRAWS, TOGETHER, errors, standing

IMPUTATIONS = 100
RESAMPLES = 4  # of each imputation: with one, the 5 and 95 % points of a group of forty runs hang on chance
SEED = 20240101


class Completed(NamedTuple):
    """All training runs with a distribution: `models` are their models with the columns that groups are made by, `run`
    the place of each one's run, `drawn` log10 FLOP (runs × IMPUTATIONS), and `top_ten` (the same shape) whether a run
    was among the ten largest notable ones of its day."""

    models: pd.DataFrame
    run: np.ndarray
    drawn: np.ndarray
    top_ten: np.ndarray


def complete(prepared: pd.DataFrame) -> Completed | None:
    """The runs of `prepared`, or None if it has no distributions."""
    if QUANTILES[2] not in prepared:
        return None
    models = prepared.dropna(subset=QUANTILES[2]).assign(organization=prepared["organizations"].str.split(";").str[0])
    models = models.drop(columns=list(series.QUANTITIES))
    known = standing(models)
    known = known[~known.index.duplicated()].sort_values(["publication_date", "model_id"])
    step = DRAWS // IMPUTATIONS  # of the draws, which what all runs share puts in order, the middle of each hundredth
    some = (known.iloc[rows] for rows in np.array_split(np.arange(len(known)), len(known) // TOGETHER + 1))
    drawn = np.vstack([np.log10(draw(runs, errors(runs)[:, step // 2 :: step])) for runs in some])
    run, top_ten = known.index.get_indexer(pd.Index(models["training_run_id"])), np.zeros(drawn.shape, dtype=bool)
    days = models["publication_date"].to_numpy().astype("datetime64[D]").astype("float64")
    first = _firsts(Completed(models, run, drawn, top_ten), Key(TOP_TEN), days)
    rows = np.flatnonzero(~np.isnan(first))
    for number, line in enumerate(drawn[rows].T):
        rank = frontier_rank(first[rows].astype("datetime64[D]"), line, np.ones(len(rows), dtype=bool), rows)
        top_ten[rows, number] = rank <= series.TOP
    return Completed(models, run, drawn, top_ten)


def _firsts(completed: Completed, key: Key, values: np.ndarray) -> np.ndarray:
    """The least of the values of each run's models that are of the group; null where none is."""
    rows = series.population(completed.models, key)
    found = np.full(len(completed.drawn), np.nan)
    np.fmin.at(found, completed.run[rows], values[rows])
    return found


def growth(completed: Completed, key: Key) -> dict[str, float]:
    """growth_all_runs of a group with its ends, in factors a year."""
    first = _firsts(completed, key, completed.models["year"].to_numpy("float64")) - fit.EPOCH
    rows = np.flatnonzero(~np.isnan(first))
    t, drawn = first[rows, None], completed.drawn[rows]
    counts = completed.top_ten[rows] if key.group == TOP_TEN else np.ones(drawn.shape)

    def slopes(weights: np.ndarray) -> np.ndarray:
        """The slope of the line through each column of `drawn`; nan where too little is left."""
        return fit.solve([(weights * part).sum(axis=0) for part in (1, t, t * t, drawn, t * drawn)])[1]

    times = fit.poisson_weights(SEED, RESAMPLES * IMPUTATIONS, len(first))[:, rows].T
    middle = slopes(counts).mean()
    low, high = fit.interval(np.concatenate([slopes(counts * some) for some in np.split(times, RESAMPLES, axis=1)]))
    found = {"": middle, "_low": min(low, middle), "_high": max(high, middle)}
    return {f"growth_all_runs{end}": float(10**value) for end, value in found.items()}
