"""The facts reproduce published growth figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pipeline.paths import CHECKOUT, Paths
from pipeline.site.printed import renewed
from pipeline.site.reproductions import Result, measure

PATHS = Paths(CHECKOUT)


@pytest.fixture(scope="module")
def measured() -> list[tuple[Mapping[str, Any], list[Result]]]:
    """Every publication with our results."""
    return measure(PATHS)


@pytest.fixture(scope="module")
def results(measured: list[tuple[Mapping[str, Any], list[Result]]]) -> list[Result]:
    return [result for _, results in measured for result in results]


def test_every_published_figure_is_met(results: list[Result]) -> None:
    for result in results:
        entry = result.published
        if "tolerance" in entry:
            assert result.value == pytest.approx(entry["value"], rel=entry["tolerance"]), entry["what"]
            assert result.n == entry["n"]
        else:
            assert entry["low"] <= result.value <= entry["high"], entry["what"]
    assert len(results) >= 14


# measured directly on upstream/history/notable/2026-05-03.csv
@pytest.mark.parametrize(
    ("what", "growth", "n"),
    [
        ("notable models from 2010", 4.33, 459),
        ("notable models from 2018", 6.30, 370),
        ("flagged as frontier from 2010", 4.63, 71),
    ],
)
def test_the_file_of_may_2026(results: list[Result], what: str, growth: float, n: int) -> None:
    (found,) = [result for result in results if result.published["what"] == what]
    assert found.value == pytest.approx(growth, rel=0.02)
    assert found.n == n
    assert found.sampling == pytest.approx((found.published["low"], found.published["high"]), rel=0.02)


def test_the_page_is_current(
    measured: list[tuple[Mapping[str, Any], list[Result]]], published: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = PATHS.docs / "quality.md"
    monkeypatch.setattr("pipeline.site.reproductions.measure", lambda _: measured)
    made = renewed(page.read_text(encoding="utf-8"), page.name, Paths(CHECKOUT, output=published))
    assert made == page.read_text(encoding="utf-8"), "run `traincompute dev docs`"
