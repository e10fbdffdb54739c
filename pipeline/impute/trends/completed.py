"""The trend of all training runs of a group, those without a published value by draws of their distributions, and
whether a kink of the published values is more than their selection can make.

Multiple imputation [Rubin 1987, doi:10.1002/9780470316696]: each of IMPUTATIONS draws gives every run a compute, with
the correlated errors of `traincompute.thresholds`, and resamples the runs RESAMPLES times, so that the spread of the
slopes has both. In a group a run has the day of the first of its models that is of the group, as in the line through
the published values.

Who publishes depends on the compute and on the year. To make a world without a kink, the line with a kink through all
runs of a draw is straightened. Each published run keeps its distance from it, exchanged with one of those that were
published about the same time, and the published runs alone are looked at: the kink that they show is what selection
makes. Its p value is how often that is as clear as the kink that was found."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from pipeline.impute.derive.eras import frontier_rank
from pipeline.impute.trends import fit, series, shape
from pipeline.impute.trends.prepare import decimal_year
from pipeline.impute.trends.series import Key
from traincompute.base import draws as numbers
from traincompute.base.quantiles import QUANTILES
from traincompute.frontier import draw
from traincompute.thresholds import DRAWS, TOGETHER, errors, standing

IMPUTATIONS = 100
RESAMPLES = 4  # of each imputation: with one, the 5 and 95 % points of a group of forty runs hang on chance
MOST = 30_000  # models: the draws of more would fill the memory
SEED = 20240101
NEAR = 10  # published runs, ordered by date, within which distances are exchanged
FOUND_BY_VALUE = ("era_compute", "era_economic")  # groups that runs without a value cannot belong to
TOP_TEN = "running_top_ten"


@dataclass(frozen=True)
class Completed:
    """All training runs with a distribution: `models` are their models with the columns that groups are made by, `run`
    the place of each one's run, `drawn` log10 FLOP (runs × IMPUTATIONS), and whether each run has a published value."""

    models: pd.DataFrame
    run: np.ndarray
    drawn: np.ndarray
    is_published: np.ndarray

    @cached_property
    def plain(self) -> dict[str, pd.Series]:
        """The groups that are not split into members."""
        return series.plain_groups(self.models)

    @cached_property
    def top_ten(self) -> np.ndarray:
        """Runs × IMPUTATIONS: whether a run was among the ten largest of its day, by its drawn value."""
        return self.among_ten(self.drawn, np.ones(len(self.drawn), dtype=bool))

    def among_ten(self, dex: np.ndarray, of: np.ndarray) -> np.ndarray:
        """Runs × draws: whether a run was among the ten largest of its day, of those of the notable ones that are
        marked."""
        dated = self.models["publication_date"].to_numpy().astype("datetime64[D]").astype("float64")
        firsts = self._firsts(Key(TOP_TEN), dated)
        rows = np.flatnonzero(~np.isnan(firsts) & of)
        days = firsts[rows].astype("datetime64[D]")
        every, found = np.ones(len(rows), dtype=bool), np.zeros(dex.shape, dtype=bool)
        for number, line in enumerate(dex[rows].T):
            found[rows, number] = frontier_rank(days, line, every, rows) <= series.TOP
        return found

    def t(self, key: Key) -> np.ndarray:
        """Years since EPOCH of the first of each run's models that is of the group; null where none is."""
        return self._firsts(key, self.models["year"].to_numpy("float64")) - fit.EPOCH

    def _firsts(self, key: Key, values: np.ndarray) -> np.ndarray:
        """The least of the values of each run's models that are of the group. The ten largest are those of all
        times."""
        since = "" if key.group == TOP_TEN else key.since
        rows = series.select(self.models, series.population(self.models, self.plain, key), since)
        found = np.full(len(self.drawn), np.nan)
        np.fmin.at(found, self.run[rows], values[rows])
        return found

    def members(self, key: Key) -> np.ndarray:
        """Runs × IMPUTATIONS, or runs × 1 where all draws agree: whether a run is of the group."""
        inside = (self.t(key) >= _since(key))[:, None]
        return inside & self.top_ten if key.group == TOP_TEN else inside


def _since(key: Key) -> float:
    """The first day of a group, in years since EPOCH."""
    return float(decimal_year(pd.Series([pd.Timestamp(key.since or "1800-01-01")])).iloc[0]) - fit.EPOCH


def complete(prepared: pd.DataFrame) -> Completed | None:
    """The runs of `prepared`, or None if it has no distributions, or more than MOST models."""
    if QUANTILES[2] not in prepared or len(prepared) > MOST:
        return None
    dated = prepared.dropna(subset=QUANTILES[2]).assign(organization=prepared["organizations"].str.split(";").str[0])
    known = standing(dated)
    known = known[~known.index.duplicated()].sort_values(["publication_date", "model_id"])
    parts = np.array_split(np.arange(len(known)), len(known) // TOGETHER + 1)
    # of the draws, which what all runs share puts in order, those in the middle of each hundredth
    step = DRAWS // IMPUTATIONS
    some = (known.iloc[rows] for rows in parts)
    drawn = np.vstack([np.log10(draw(runs, errors(runs)[:, step // 2 :: step])) for runs in some])
    run = known.index.get_indexer(pd.Index(dated["training_run_id"]))
    return Completed(dated, run, drawn, known["tier"].to_numpy() == 0)


def slopes(completed: Completed, key: Key) -> tuple[np.ndarray, np.ndarray]:
    """The slope of each draw as it is (IMPUTATIONS), and of the same resampled (RESAMPLES × IMPUTATIONS)."""
    inside = completed.members(key)
    rows = np.flatnonzero(inside.any(axis=1))
    t, drawn = completed.t(key)[rows, None], completed.drawn[rows]
    weights = np.broadcast_to(inside[rows], (len(rows), IMPUTATIONS)).astype("float64")
    times = fit.poisson_weights(SEED, RESAMPLES * IMPUTATIONS, len(inside)).T[rows]
    return _slopes(t, drawn, weights), _slopes(t, np.tile(drawn, RESAMPLES), np.tile(weights, RESAMPLES) * times)


def _slopes(t: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The slope of the line through each column of `y`; nan where its weights leave fewer than two distinct dates."""
    return fit.solve([(weights * part).sum(axis=0) for part in (1, t, t * t, y, t * y)])[1]


def by_selection_alone(completed: Completed, key: Key, found: shape.Shape) -> tuple[float, float]:
    """How often the published values of a world without a kink, with the selection of this one, show a kink and a break
    as clear as those found."""
    at, inside, t = found.years["kink_date"] - fit.EPOCH, completed.members(key), completed.t(key)
    if key.group == TOP_TEN:
        made = [_top_ten_gains(completed, key, number, inside[:, number], at) for number in range(IMPUTATIONS)]
        gains = np.concatenate(made, axis=1)
    else:
        world = completed.drawn - _bend(t, completed.drawn, inside[:, 0], at)
        rows = _in_time(t, completed.is_published & inside[:, 0])
        gains = shape.gains(t[rows], _exchanged(t[rows], world[rows], SEED))
    clear = np.count_nonzero(found.gains <= gains.T, axis=0)
    kink, broken = (1 + clear) / (1 + IMPUTATIONS)
    return float(kink), float(broken)


def _in_time(t: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The places of the rows of a mask in the order of days."""
    places = np.flatnonzero(rows)
    return np.asarray(places[np.argsort(t[places], kind="stable")])


def _top_ten_gains(completed: Completed, key: Key, number: int, inside: np.ndarray, at: float) -> np.ndarray:
    """What `shape.gains` says of the ten largest published runs of the world of one draw: other ones than in this
    world."""
    drawn, t = completed.drawn[:, [number]], completed.t(key)
    world = drawn - _bend(t, drawn, inside, at)
    top = completed.among_ten(world, completed.is_published)[:, 0]
    rows = _in_time(t, top & (t >= _since(key)))
    return shape.gains(t[rows], _exchanged(t[rows], world[rows], SEED + number))


def _bend(t: np.ndarray, y: np.ndarray, rows: np.ndarray, at: float) -> np.ndarray:
    """What a kink at that place adds, after it, to the straight line through some of the points, in each draw."""
    hinge = np.maximum(t - at, 0)
    basis = np.column_stack([np.ones(len(t)), t, hinge])
    return np.asarray(hinge[:, None] * np.linalg.lstsq(basis[rows], y[rows], rcond=None)[0][2])


def _exchanged(t: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """The values (points × draws, in the order of days) with their distances from the line exchanged among NEAR
    neighbours in time, at random with replacement."""
    basis = np.column_stack([np.ones(len(t)), t])
    line = basis @ np.linalg.lstsq(basis, y, rcond=None)[0]
    first = np.arange(len(t)) // NEAR * NEAR
    size = np.minimum(NEAR, len(t) - first)
    share = ((numbers.words(seed, y.size) >> np.uint64(11)) * 2.0**-53).reshape(y.shape)
    other = first[:, None] + (share * size[:, None]).astype("int64")
    return np.asarray(line + np.take_along_axis(y - line, other, axis=0))
