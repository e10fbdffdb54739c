"""The facts reproduce published growth figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.paths import CHECKOUT, Paths
from pipeline.site.printed import renewed
from pipeline.site.reproductions import Result, measure, reproductions

PATHS = Paths(CHECKOUT)


@pytest.fixture(scope="module")
def measured() -> tuple[list[Result], str]:
    """All results, and the page made from them."""
    blocks = measure(PATHS)
    return [result for _, results in blocks for result in results], reproductions(blocks)


def test_every_published_figure_is_met(measured: tuple[list[Result], str]) -> None:
    missed = [(r.published["what"], r.value, r.n) for r in measured[0] if not r.agrees]
    assert not missed
    assert len(measured[0]) >= 14


# measured directly on upstream/history/notable/2026-05-03.csv
@pytest.mark.parametrize(
    ("what", "growth", "n"),
    [
        ("notable models from 2010", 4.33, 459),
        ("notable models from 2018", 6.30, 370),
        ("flagged as frontier from 2010", 4.63, 71),
    ],
)
def test_the_file_of_may_2026(measured: tuple[list[Result], str], what: str, growth: float, n: int) -> None:
    (found,) = [result for result in measured[0] if result.published["what"] == what]
    assert found.value == pytest.approx(growth, rel=0.02)
    assert found.n == n
    assert found.sampling == pytest.approx((found.published["low"], found.published["high"]), rel=0.02)


def test_the_page_is_current(
    measured: tuple[list[Result], str], published: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = PATHS.docs / "quality.md"
    monkeypatch.setattr("pipeline.site.reproductions.measure", lambda _: None)
    monkeypatch.setattr("pipeline.site.reproductions.reproductions", lambda _: measured[1])
    made = renewed(page.read_text(encoding="utf-8"), page.name, Paths(CHECKOUT, output=published))
    assert made == page.read_text(encoding="utf-8"), "run `traincompute dev docs`"
