"""The slider over the vintages: what the page shows for a day is what a build of that day has."""

from __future__ import annotations

import os
from datetime import date
from typing import Any

import pandas as pd
import pytest
from browser import Browser

from pipeline.base.paths import Paths
from pipeline.impute.stage import with_estimates
from pipeline.normalize.stage import Read, load_ledger, normalize_tables, read_ledger
from pipeline.registry.context import Context, load_context
from pipeline.registry.frames import Tables
from pipeline.registry.sources import load_lock, locked_snapshots

OLDER = locked_snapshots(load_lock(Paths()), "epoch_notable")[:-1]
FEW = [date(2022, 9, 1), date(2026, 3, 30)]
# for the notable and for all: models, values, the largest value, and runs at or above 1e25
SHOWN = """
const flags = (value) => ({ ...traincompute.current.state.flags, is_notable: value });
return ["yes", "any"].map((value) => {
  const state = { ...traincompute.current.state, flags: flags(value) };
  const { rows } = traincompute.select(state);
  const found = traincompute.figuresOf(rows, state);
  const flop = traincompute.data.column.training_compute_flop.values;
  return [rows.length, found.known, flop[found.largest], rows.filter((row) => flop[row] >= 1e25).length];
});"""


@pytest.fixture(scope="module")
def context(_real_once: tuple[Paths, Tables]) -> Context:
    return load_context(_real_once[0])


@pytest.fixture(scope="module")
def read(context: Context) -> Read:
    return read_ledger(context, load_ledger(context))


def held(models: pd.DataFrame) -> list[list[Any]]:
    """The same of a table of models, its imputed values left out."""
    flop = models["training_compute_flop"].where(models["training_compute_source"] != "imputed")
    return [
        [len(some), int(some.notna().sum()), some.max(), int((some >= 1e25).sum())]
        for some in (flop[models["is_notable"].astype("bool")], flop)
    ]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "day",
    [pytest.param(day, marks=pytest.mark.thorough if day == FEW[0] else [] if day in FEW else pytest.mark.skipif(
        not os.environ.get("EVERY_VINTAGE"), reason="EVERY_VINTAGE is not set: only some vintages are built"))
     for day in OLDER],
    ids=str,
)  # fmt: skip
def test_a_day_shows_what_a_build_of_that_day_has(blank: Browser, context: Context, read: Read, day: date) -> None:
    blank.open(f"asof={day}")
    blank.wait("return traincompute.vintageDays().length && !document.querySelector('#time').hidden")
    models = with_estimates(context, normalize_tables(context, day, read))["models"]
    assert blank.run(SHOWN) == held(models)
    assert blank.text("#count") == "{:,} of {:,} models".format(*(count for count, *_ in held(models)))
    assert blank.text("#story").startswith(f"As of {day}")


@pytest.mark.thorough
def test_every_step_of_the_slider_redraws_and_lists_what_changed(page: Browser) -> None:
    before = (page.count(), page.text("#story"))
    page.click("#time-open")
    page.wait("return !document.querySelector('#time').hidden")
    assert page.run("return traincompute.vintageDays()") == [day.isoformat() for day in OLDER]
    assert page.run("return document.activeElement.id") == "time-slider"
    for number, day in reversed(list(enumerate(OLDER))):
        page.run("const s = document.querySelector('#time-slider'); s.value = arguments[0]; s.dispatchEvent(new Event('input'))", number)  # fmt: skip
        assert page.text("#time-day") == f"as of {day}"
        changes = page.run("return traincompute.changesOf(arguments[0])", day.isoformat())
        assert (changes is None) == (number == 0)
        assert page.run("return document.querySelectorAll('#changes-list li').length > 0") == (
            bool(changes) and any(changes[kind] for kind in ("added", "removed", "changed", "notable"))
        )
    assert page.state()["asof"] == str(OLDER[0])
    page.click("#time-open")
    assert (page.count(), page.text("#story")) == before


@pytest.mark.thorough
def test_the_line_through_the_same_models_is_that_of_the_day(blank: Browser) -> None:
    blank.open(f"asof={FEW[1]}")
    blank.wait("return traincompute.vintageDays().length && !document.querySelector('#time').hidden")
    slopes = """
    const { rows, scales } = traincompute.chart;
    const slope = () => traincompute.lineOf(rows, scales, "2010-01-01").slope;
    const then = slope();
    traincompute.setDay("");
    return [then, slope()];"""
    then, now = blank.run(slopes)
    assert abs(then - now) > 1e-6


@pytest.mark.thorough
def test_the_changes_are_those_of_the_tables(blank: Browser, context: Context, read: Read) -> None:
    before, after = (
        normalize_tables(context, day, read)["models"].set_index("model_id")
        for day in (date(2025, 7, 1), date(2025, 11, 1))
    )
    blank.open("asof=2025-11-01")
    blank.wait("return traincompute.vintageDays().length && !document.querySelector('#time').hidden")
    names = """
    const found = traincompute.changesOf("2025-11-01");
    const ids = new Map([...traincompute.data.rowOf].map(([id, row]) => [row, id]));
    return [found.added, found.removed, found.changed.map((one) => one.row)].map((rows) => rows.map((row) => ids.get(row)).sort());"""
    both = before.index.intersection(after.index)
    old, new = (frame.loc[both, "training_compute_flop"] for frame in (before, after))
    assert blank.run(names) == [
        sorted(after.index.difference(before.index)),
        sorted(before.index.difference(after.index)),
        sorted(both[~((new / old - 1).abs() <= 0.001) & (old.notna() | new.notna())]),
    ]
