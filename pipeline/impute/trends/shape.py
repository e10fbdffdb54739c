"""Is growth steady? A straight line against one kink (the slope changes) and one break (slope and level change).

The place of the change is searched for, so the usual F test is not valid; two comparisons do without it. One is BIC
= n ln(SSE/n) + p ln n, with the place of the change counted as a parameter (2, 4 and 5 besides the variance). The other
is a bootstrap of the likelihood ratio: the residuals of the straight line are given random signs (wild bootstrap, Liu
1988, doi:10.1214/aos/1176351062, which allows the spread to vary over time) and added to the line, the change is
searched for in each draw, and we count how often the ratio is as large as the one found (Hansen 1996,
doi:10.2307/2171789, says why). Of more than BAGS points, those that share a place modulo BAGS have one sign (the wild
cluster bootstrap: Cameron, Gelbach & Miller 2008, doi:10.1162/rest.90.3.414).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from pipeline.impute.trends.fit import BAGS, DRAWS, EPOCH, SEED, TAILS, signs

MIN_POINTS = 30
MIN_YEARS = 5.0
MARGIN = 0.1  # share of the points (at least 5) before the first and after the last place considered
MARGIN_YEARS = 1.0  # and at least this far from either end: a slope over less is not a trend
PLACES = 40  # at most this many places, evenly spread over the dates


class Shape(NamedTuple):
    """What the comparison found: line, kink or break, whichever has the lowest BIC; columns of `trends`, and the years
    of its dates (a BIC is that of the line minus that of the other); and the shares of the line's SSE that a kink and a
    break take away."""

    preferred: str
    figures: dict[str, float]
    years: dict[str, float]
    gains: tuple[float, float]


def compare_shapes(year: np.ndarray, log10: np.ndarray, seed: int = SEED) -> Shape | None:
    """The comparison for one group; None if there are too few points or years for it."""
    if len(year) < MIN_POINTS or float(year.max() - year.min()) < MIN_YEARS:
        return None
    order = np.argsort(year, kind="stable")
    t, y = year[order] - EPOCH, log10[order] - log10.mean()  # without the mean, sums of squares lose no digits
    places = _places(t)
    if not len(places):
        return None
    basis = _Basis(t, places)
    found = basis.parts(basis.in_bags(y).sum(axis=0))
    residuals = y - (basis.straight @ found.line)[basis.day_of]
    left = float(residuals @ residuals)
    if left <= 1e-12 * (y @ y):  # data exactly on the line have no likelihood to compare
        return None
    kink, both = found.gains()
    clear = float(kink.max() / left), float(both.max() / left)
    bic = {"line": 0.0, "kink": _bic(clear[0], 2, len(t)), "break": _bic(clear[1], 3, len(t))}
    flips = signs(seed, DRAWS, min(len(t), BAGS))
    null = basis.parts(flips @ basis.in_bags(residuals))
    null_left, (null_kink, null_both) = left - (null.line**2).sum(axis=1), null.gains()
    at = int(kink.argmax())
    drawn_at, drawn_after = _redraw(basis, y, found, at, flips)
    before, after = basis.slopes(found, at)
    low, high = np.quantile(places[drawn_at], TAILS)
    after_low, after_high = np.quantile(drawn_after, TAILS)
    years = {"kink_date": places[at], "kink_date_low": low, "kink_date_high": high, "break_date": places[both.argmax()]}
    figures = {
        "bic_kink": bic["kink"],
        "bic_break": bic["break"],
        "p_kink": _share_as_clear(null_left, null_kink, clear[0]),
        "p_break": _share_as_clear(null_left, null_both, clear[1]),
        "growth_before": 10**before,
        "growth_after": 10**after,
        "growth_after_low": 10**after_low,
        "growth_after_high": 10**after_high,
    }
    return Shape(max(bic, key=lambda name: bic[name]), figures, {name: at + EPOCH for name, at in years.items()}, clear)


def gains(t: np.ndarray, log10: np.ndarray) -> np.ndarray:
    """The largest shares of the straight line's SSE that a kink and a break take away (2 × draws), of values at years
    since EPOCH (points × draws) that are in the order of days; 0 where no place is considered."""
    y = log10 - log10.mean(axis=0)
    if not len(places := _places(t)):
        return np.zeros((2, y.shape[1]))
    basis = _Basis(t, places)
    found = basis.parts(y.T @ basis.directions[basis.day_of])
    left = (y**2).sum(axis=0) - (found.line**2).sum(axis=1)
    return np.array([gain.max(axis=1) / left for gain in found.gains()])


def _places(t: np.ndarray) -> np.ndarray:
    """The dates at which to look for a change: those of the points, without the margins, thinned out."""
    margin = max(5, round(MARGIN * len(t)))
    inner = np.unique(t[margin:-margin])
    inner = inner[(inner >= t[0] + MARGIN_YEARS) & (inner <= t[-1] - MARGIN_YEARS)]
    return np.asarray(inner[np.unique(np.linspace(0, len(inner) - 1, min(PLACES, len(inner))).astype(int))])


class _Parts(NamedTuple):
    """How much of each direction of a basis is in some values; a row per draw where there are several."""

    line: np.ndarray
    kink: np.ndarray
    step: np.ndarray

    def gains(self) -> tuple[np.ndarray, np.ndarray]:
        """By how much a kink and a break at each place reduce the SSE."""
        return self.kink**2, self.kink**2 + self.step**2


class _Basis:
    """Directions of length 1: a level and a slope, and what a kink and a break at each place add to them. They are the
    same for all points of a day, so they are written down by day."""

    def __init__(self, t: np.ndarray, places: np.ndarray) -> None:
        days, self.day_of, self.count = np.unique(t, return_inverse=True, return_counts=True)
        centred = days - t.mean()
        self.slope_size = math.sqrt(self.count @ centred**2)
        self.straight = np.column_stack([np.full(len(days), len(t) ** -0.5), centred / self.slope_size])
        hinge = np.maximum(days[:, None] - places, 0)
        self.hinge_slope = (self.straight[:, 1] * self.count) @ hinge / self.slope_size
        hinge = self._beside_line(hinge)
        self.hinge_size = np.sqrt(self.count @ hinge**2)
        self.kink = hinge / self.hinge_size
        step = self._beside_line((days[:, None] >= places).astype("float64"))
        step = step - self.kink * (self.count @ (self.kink * step))
        step = step / np.maximum(np.sqrt(self.count @ step**2), 1e-9)
        self.directions = np.column_stack([self.straight, self.kink, step])

    def _beside_line(self, by_day: np.ndarray) -> np.ndarray:
        """What is left of each column without its straight line."""
        return np.asarray(by_day - self.straight @ ((self.straight * self.count[:, None]).T @ by_day))

    def in_bags(self, values: np.ndarray) -> np.ndarray:
        """bags × directions: what each bag adds to the parts of `values`, of which there is one for each point."""
        added = np.zeros((min(len(values), BAGS), self.directions.shape[1]))
        for start in range(0, len(values), BAGS):
            some = values[start : start + BAGS]
            added[: len(some)] += self.directions[self.day_of[start : start + BAGS]] * some[:, None]
        return added

    def parts(self, along: np.ndarray) -> _Parts:
        """What is in the columns of `directions`, by name."""
        return _Parts(*np.split(along, [2, 2 + self.kink.shape[1]], axis=-1))

    def slopes(self, found: _Parts, at: Any) -> tuple[Any, Any]:
        """The slopes before and after a kink at the place with that number; a number per draw where there are
        several."""
        kink = np.take_along_axis(found.kink, np.expand_dims(at, -1), -1).squeeze(-1)
        change = kink / self.hinge_size[at]
        before = found.line[..., 1] / self.slope_size - change * self.hinge_slope[at]
        return before, before + change


def _bic(gain: float, more: int, n: int) -> float:
    """By how much the BIC with so many parameters more is lower than that of the straight line."""
    return -n * math.log(max(1 - gain, 1e-12)) - more * math.log(n)


def _share_as_clear(left: np.ndarray, gains: np.ndarray, found: float) -> float:
    """How often data without a change look as clear as the change found, by the largest gain of each draw as a share of
    its SSE."""
    return float(1 + (gains.max(axis=1) / left >= found).sum()) / (1 + len(left))


def _redraw(basis: _Basis, y: np.ndarray, found: _Parts, at: int, flips: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place of the kink, and the slope after it, in data redrawn around the kinked line."""
    kinked = basis.straight @ found.line + basis.kink[:, at] * found.kink[at]
    beside = y - kinked[basis.day_of]
    drawn = basis.parts((kinked * basis.count) @ basis.directions + flips @ basis.in_bags(beside))
    places = (drawn.kink**2).argmax(axis=1)
    return places, basis.slopes(drawn, places)[1]
