"""Which cases of a test run each time, and which with --thorough alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def first(cases: Iterable[Any], count: int = 1) -> list[Any]:
    """The first so many cases as they are, and those behind them marked thorough."""
    return [case if place < count else _seldom(case) for place, case in enumerate(cases)]


def _seldom(case: Any) -> Any:
    if isinstance(case, type(pytest.param())):
        return pytest.param(*case.values, marks=(*case.marks, pytest.mark.thorough), id=case.id)
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.thorough)
