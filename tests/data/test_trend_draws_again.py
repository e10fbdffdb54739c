"""What is published of trends from draws, worked out again by draws of one's own: growth with the runs whose compute
nobody has published, the place of a kink with its interval, and how often a line shows as clear a kink or break."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
import pytest
from test_trends_and_thresholds_again import (
    MODEL_COLUMNS,
    Fitted,
    Row,
    errors_of,
    fitted_models,
    is_member,
    points,
    since,
    table,
    year,
)

DRAWS = 400
FLIPS = 1600  # of signs: a share of these has a standard error of 0.006
SELECTED = 100  # worlds in which nothing but the selection of who publishes makes a kink
FLOP = [f"flop_{share}" for share in ("05", "25", "50", "75", "95")]
Z = np.array([NormalDist().inv_cdf(share) for share in (0.05, 0.25, 0.5, 0.75, 0.95)])
ENDS = [0.05, 0.95]


@pytest.fixture(scope="module")
def models(published: Path) -> pd.DataFrame:
    frame = table(published, "models")[MODEL_COLUMNS]
    frame = frame.merge(table(published, "predictions"), on="model_id")
    frame = frame.assign(publication_date=pd.to_datetime(frame["publication_date"]))
    return frame[frame["publication_date"].notna()].sort_values(["publication_date", "model_id"])


@pytest.fixture(scope="module")
def trends(published: Path) -> pd.DataFrame:
    return table(published, "trends")


@pytest.fixture(scope="module")
def fitted(trends: pd.DataFrame, models: pd.DataFrame) -> Fitted:
    return {str(row.trend_id): fitted_models(row, models) for row in trends.itertuples()}


@pytest.fixture(scope="module")
def all_runs(models: pd.DataFrame) -> AllRuns:
    return AllRuns(models)


class AllRuns:
    """Draws of log10 compute of every run, from the distribution of the first of its models that are known best."""

    def __init__(self, models: pd.DataFrame) -> None:
        self.models = models
        best = models[models["tier"] == models.groupby("training_run_id")["tier"].transform("min")]
        self.best = best.drop_duplicates("training_run_id").set_index("training_run_id")
        self.is_published = self.best["tier"].eq(0)

    @cached_property
    def drawn(self) -> pd.DataFrame:
        """Runs × DRAWS: straight between the quantiles over standard deviations, and beyond; within what is
        possible."""
        z, dex = errors_of(self.models, DRAWS).loc[self.best.index].to_numpy(), np.log10(self.best[FLOP].to_numpy())
        part = np.clip(np.searchsorted(Z, z) - 1, 0, 3)
        low, high = (np.take_along_axis(dex, places, axis=1) for places in (part, part + 1))
        made = low + (z - Z[part]) / (Z[part + 1] - Z[part]) * (high - low)
        least = np.log10(self.best["least_flop"].fillna(1e-300).to_numpy())
        most = np.log10(self.best[["most_flop", "flop_95"]].max(axis=1).where(self.best["most_flop"].notna(), 1e300))
        return pd.DataFrame(np.clip(made, least[:, None], most.to_numpy()[:, None]), index=self.best.index)

    def group(self, row: Row) -> pd.Series:
        """The years since 2020 at which the first model of each run of a group was published, in their order."""
        top = row.group == "running_top_ten"
        members = self.models[self.models["is_notable"] if top else is_member(row, self.models)]
        first = (members if top else since(row, members)).drop_duplicates("training_run_id")
        days = (first["publication_date"] - pd.Timestamp("2020-01-01")).dt.days / 365.2425
        return days.set_axis(first["training_run_id"]) + year("2020-01-01")


def largest_ten(value: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Which values of each column are among its ten largest of the same or an earlier time."""
    found, ten = np.zeros(value.shape, dtype=bool), np.full((10, value.shape[1]), -np.inf)
    for moment in np.unique(at):
        now = np.flatnonzero(at == moment)
        ten = np.sort(np.concatenate([ten, value[now]]), axis=0)[-10:]
        found[now] = value[now] >= ten[0]
    return found


def slopes(at: np.ndarray, value: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Least squares slopes of columns, with weights."""
    centred = at[:, None] - (weight * at[:, None]).sum(axis=0) / weight.sum(axis=0)
    found: np.ndarray = (weight * centred * value).sum(axis=0) / (weight * centred**2).sum(axis=0)
    return found


def inside(row: Row, at: pd.Series, value: np.ndarray) -> np.ndarray:
    """Runs × draws: whether a run is of the group in each draw."""
    if row.group != "running_top_ten":
        return np.ones(value.shape, dtype=bool)
    return (
        largest_ten(value, at.to_numpy())
        & (at >= (year(row.since) if isinstance(row.since, str) else -np.inf)).to_numpy()[:, None]
    )


def growth(row: Row, all_runs: AllRuns, random: np.random.Generator) -> tuple[float, np.ndarray]:
    """The mean slope of the draws, and the slopes with the runs drawn anew."""
    at = all_runs.group(row)
    value = all_runs.drawn.loc[at.index].to_numpy()
    weight = inside(row, at, value).astype(float)
    mean = slopes(at.to_numpy(), value, weight).mean()
    return float(mean), slopes(at.to_numpy(), value, weight * random.poisson(1, size=weight.shape))


# --- kinks and breaks


def tried(at: np.ndarray) -> np.ndarray:
    """At most forty days of publication with a tenth of the points, five and a year on either side."""
    margin = max(5, round(len(at) / 10))
    days = np.unique(np.sort(at)[margin:-margin])
    days = days[(days >= at.min() + 1) & (days <= at.max() - 1)]
    return days[np.unique(np.linspace(0, len(days) - 1, min(40, len(days))).astype(int))]


class Bends:
    """What a kink and a break at each of the places tried add to a straight line, as directions at right angles."""

    def __init__(self, at: np.ndarray) -> None:
        self.at, self.places = at, tried(at)
        straight = [np.ones(len(at)), at]
        parts = [[*straight, np.maximum(at - place, 0), (at >= place).astype(float)] for place in self.places]
        bases = np.array([np.linalg.qr(np.column_stack(part))[0] for part in parts])
        self.line, self.kink, self.step = bases[0, :, :2], bases[:, :, 2].T, bases[:, :, 3].T

    def gains(self, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The shares of the squares beside the line (of columns) that a kink and a break take away, by place."""
        beside = value - self.line @ (self.line.T @ value)
        whole = (beside**2).sum(axis=0)
        kink = (self.kink.T @ beside) ** 2
        return kink / whole, (kink + (self.step.T @ beside) ** 2) / whole

    def after(self, value: np.ndarray, place: float) -> float:
        design = np.column_stack([np.ones(len(self.at)), self.at, np.maximum(self.at - place, 0)])
        fit = np.linalg.lstsq(design, value)[0]
        return float(fit[1] + fit[2])

    def kinked(self, value: np.ndarray, place: float) -> np.ndarray:
        design = np.column_stack([np.ones(len(self.at)), self.at, np.maximum(self.at - place, 0)])
        return np.asarray(design @ np.linalg.lstsq(design, value)[0])


def found(row: Row) -> tuple[float, float]:
    """The shares of the squares that kink and break take away, from what they gain by the BIC."""
    kink, broken = row.bic_kink + 2 * np.log(row.n), row.bic_break + 3 * np.log(row.n)
    return float(1 - np.exp(-kink / row.n)), float(1 - np.exp(-broken / row.n))


def flipped(row: Row, fitted: Fitted, random: np.random.Generator) -> dict[str, Any]:
    """From points whose distances from the line, and from the kinked line, are given random signs."""
    at, value = points(row, fitted)
    bends, signs = Bends(at), random.choice([-1.0, 1.0], size=(len(at), FLIPS))
    straight = bends.line @ (bends.line.T @ value)
    null = bends.gains(straight[:, None] + (value - straight)[:, None] * signs)
    shares = [float((part.max(axis=0) >= share - 1e-9).mean()) for part, share in zip(null, found(row), strict=True)]
    kinked = bends.kinked(value, year(row.kink_date))
    drawn = kinked[:, None] + (value - kinked)[:, None] * signs
    places = bends.places[bends.gains(drawn)[0].argmax(axis=0)]
    after = [bends.after(column, place) for column, place in zip(drawn.T, places, strict=True)]
    return {"p_kink": shares[0], "p_break": shares[1], "places": places, "after": np.array(after)}


@pytest.fixture(scope="module")
def shaped(trends: pd.DataFrame) -> list[Row]:
    return list(trends[trends["bic_kink"].notna()].itertuples())


@pytest.fixture(scope="module")
def signed(shaped: list[Row], fitted: Fitted) -> list[dict[str, Any]]:
    random = np.random.default_rng(7)
    return [flipped(row, fitted, random) for row in shaped]


# --- kinks that the selection of who publishes makes


def exchanged(at: np.ndarray, value: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The values with the distances from their line exchanged among ten neighbours in time."""
    line = np.polyval(np.polyfit(at, value, 1), at)
    start = np.arange(len(at)) // 10 * 10
    return np.asarray(line + (value - line)[start + random.integers(np.minimum(10, len(at) - start))])


def straightened(at: np.ndarray, value: np.ndarray, rows: np.ndarray, kink: float) -> np.ndarray:
    """The values without what a kink adds to the line through some of them."""
    hinge = np.maximum(at - kink, 0)
    design = np.column_stack([np.ones(len(at)), at, hinge])
    return np.asarray(value - hinge * np.linalg.lstsq(design[rows], value[rows])[0][2])


def selected(row: Row, all_runs: AllRuns, random: np.random.Generator) -> np.ndarray:
    """SELECTED × 2: whether the published runs of a world without a kink show as clear a kink, and a break."""
    at = all_runs.group(row)
    value, told = all_runs.drawn.loc[at.index].to_numpy()[:, :SELECTED], all_runs.is_published.loc[at.index].to_numpy()
    group, times, clear = inside(row, at, value), at.to_numpy(), []
    for place in range(SELECTED):
        world = straightened(times, value[:, place], group[:, place], year(row.kink_date))
        rows = told & inside(row, at, np.where(told, world, -np.inf)[:, None])[:, 0]
        gains = Bends(times[rows]).gains(exchanged(times[rows], world[rows], random)[:, None])
        clear.append([part.max() >= share for part, share in zip(gains, found(row), strict=True)])
    return np.array(clear)
