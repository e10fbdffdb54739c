"""What every section produces: figures, one per row."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """A figure with its unit, the lowest and highest of the runs, the most that we accept, and what it was made
    from."""

    name: str
    figure: float
    unit: str = "×"
    low: float | None = None
    high: float | None = None
    target: float | None = None
    note: str = ""
    at_least: bool = False  # the target is the least that we accept

    @property
    def verdict(self) -> str:
        """met, missed, or nothing if there is no target."""
        if self.target is None:
            return ""
        good = self.figure >= self.target if self.at_least else self.figure <= self.target
        return "met" if good else "missed"

    @property
    def bound(self) -> str:
        """The target in words."""
        return "" if self.target is None else f"{'≥' if self.at_least else '≤'} {self.target:g}"

    @property
    def spread(self) -> str:
        """The lowest and the highest of the runs."""
        return "" if self.low is None or self.high is None else f"{shown(self.low)}–{shown(self.high)}"


def shown(figure: float) -> str:
    """A figure as tables print it, with three significant digits."""
    if figure == 0 or 1e-3 <= abs(figure) < 1e3:
        return f"{figure:.3g}"
    return f"{figure:,.0f}" if abs(figure) >= 1e3 else f"{figure:.1e}"
