"""How soon each command answers where nothing but the wheel is installed."""

from __future__ import annotations

import sys

from bench.measure import ROOT, measure
from bench.row import Row

LONGEST_S = 1.5


def rows(quick: bool, runs: int) -> list[Row]:
    """The median of each command of tests/first_hour in a fresh environment."""
    script = [sys.executable, str(ROOT / "tests" / "first_hour" / "run.py"), "--times", str(runs), "--json"]
    seconds: dict[str, float] = measure(script, answers=True).answer
    return [Row(words, figure, "s", target=LONGEST_S) for words, figure in seconds.items()]
