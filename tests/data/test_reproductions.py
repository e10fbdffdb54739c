"""The committed facts reproduce published growth figures, and docs/reproductions.md prints the current results."""

from __future__ import annotations

from datetime import date
from unittest import mock

import pandas as pd
import pytest

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.normalize.stage import Read, normalize_tables
from pipeline.present.docs import reproductions
from pipeline.present.docs.reproductions import Result, measure, render
from pipeline.present.docs.shape_of_code import era_lines, era_points, sheet_counts
from pipeline.registry.context import Context, load_context
from pipeline.registry.frames import Tables

PATHS = Paths(CHECKOUT)


@pytest.fixture(scope="module")
def vintages() -> dict[date, Tables]:
    """What is made of the facts of the days that `measured` has looked at."""
    return {}


@pytest.fixture(scope="module")
def measured(vintages: dict[date, Tables]) -> tuple[list[Result], str]:
    """All results, and the page made from them."""

    def kept(context: Context, day: date, read: Read) -> Tables:
        vintages[day] = normalize_tables(context, day, read)
        return vintages[day]

    with mock.patch.object(reproductions, "normalize_tables", kept):
        blocks, last = measure(PATHS)
    return [result for _, found in blocks for result in found], render(blocks, last)


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


def test_the_page_is_current(measured: tuple[list[Result], str]) -> None:
    assert (PATHS.docs / "reproductions.md").read_text(encoding="utf-8") == measured[1]


@pytest.fixture(scope="module")
def context() -> Context:
    return load_context(PATHS)


@pytest.fixture(scope="module")
def points(measured: object, vintages: dict[date, Tables], context: Context) -> pd.DataFrame:
    """The models of The Shape of Code: the sheet of 2022-05-03."""
    return era_points(vintages[date(2022, 5, 3)], context)


def test_the_counts_of_the_shape_of_code(context: Context) -> None:
    # the file itself: 498 rows, 347 with a name, 133 with FLOP, 110 with FLOP, parameters and a date ("Forthcoming" is
    # not one)
    assert list(sheet_counts(context).values()) == [347, 133, 110]


def test_the_economic_eras_of_the_shape_of_code(points: pd.DataFrame) -> None:
    flop, size = era_lines(points, "training_compute_flop"), era_lines(points, "parameters")
    assert [line["n"] for line in flop.values()] == pytest.approx([18, 74, 14], abs=4)  # of 106 in the article
    assert flop["cloud"]["slope"] > flop["bespoke"]["slope"] > flop["do_it_yourself"]["slope"] > 0
    assert all(line["slope"] > 0 for line in size.values())
