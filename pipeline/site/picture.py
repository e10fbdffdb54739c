"""A small picture that needs no script: an interval on a logarithmic axis.

Places are in per cent of the width, so that it fits a phone while its text keeps its size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from traincompute.database import Row

MARGIN = 0.35  # decades on either side
NEAR = 1.5  # decades from an interval within which a threshold is shown
MOST_TICKS = 6


class Axis(NamedTuple):
    """A logarithmic axis between two powers of ten."""

    first: float
    last: float

    def place(self, value: float) -> float:
        """The place of a value in per cent of the width; 0 for what lies before the axis."""
        return max(0.0, round(100 * (math.log10(value) - self.first) / (self.last - self.first), 1))

    def width(self, low: float, high: float) -> float:
        """The width of an interval in per cent."""
        return round(self.place(high) - self.place(low), 1)

    def ticks(self) -> list[tuple[float, str]]:
        """Places and labels of powers of ten."""
        powers = range(math.ceil(self.first), math.floor(self.last) + 1)
        step = math.ceil(len(powers) / MOST_TICKS)
        return [(self.place(10.0**power), f"1e{power}") for power in powers if power % step == 0]


def axis_of(values: Sequence[float], most: float = math.inf) -> Axis:
    """The axis on which all these values have room, or the largest of them if that takes more than `most` decades."""
    powers = [math.log10(value) for value in values if value > 0]
    last = max(powers) + MARGIN
    return Axis(max(min(powers) - MARGIN, last - most), last)


def interval_picture(model: Row, predicted: Row | None, thresholds: Sequence[Mapping[str, Any]]) -> Row | None:
    """What the macro picture_of draws: the axis, the bars of the 50 and 90 % interval, the point (`hollow` for the
    median of a model without a value) and the thresholds near it. None where nothing is known."""
    value, spread = model["training_compute_flop"], predicted or {}
    low = model["training_compute_low"] or spread.get("flop_05")
    high = model["training_compute_high"] or spread.get("flop_95")
    point = value or spread.get("flop_50")
    if not point:
        return None
    ends = [point, low or point, high or point]
    around = axis_of(ends)
    near = [rule for rule in thresholds if around.first - NEAR < math.log10(rule["flop"]) < around.last + NEAR]
    axis = axis_of([*ends, *(rule["flop"] for rule in near)])
    bars = [("i90", low, high)] if low and high else []
    if not value:
        bars.append(("i50", spread["flop_25"], spread["flop_75"]))
    return {"axis": axis, "bars": bars, "point": point, "hollow": not value, "rules": near}
