"""Each figure as it is drawn from a few rows (tests/golden/figures/rows/): every row, colour, key, axis and text of it,
and the order in which they lie on each other, are those of the copy in tests/golden/figures/."""

from __future__ import annotations

import math
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import few_rows
import pandas as pd
import pytest
from kept import as_kept, as_lines

pytest.importorskip("vl_convert")

from pipeline.paths import Paths
from pipeline.present.docs.figures import Figure
from pipeline.present.figures import growth, style, supply
from pipeline.present.figures.data import Data
from pipeline.present.figures.write import FIGURES


class Few(Data):
    """A dataset of some thirty models."""

    def table(self, name: str) -> pd.DataFrame:
        return few_rows.table(name)

    def asked(self, figure: Figure) -> pd.DataFrame:
        return few_rows.table(figure.name)

    @cached_property
    def manifest(self) -> dict[str, Any]:
        return {
            "release": {"version": "2026.11.0"},
            "snapshots": {"epoch_all": "2026-03-30", "epoch_notable": "2026-08-19"},
        }


ALIKE = {"cost": growth.COST, "power": growth.POWER}
FEW = Few(Paths())


@pytest.mark.parametrize("name", [name for name in FIGURES if name not in ALIKE])
def test_a_figure_is_drawn_as_before(name: str, tmp_path: Path) -> None:
    made = FIGURES[name](FEW)
    kept = {part: made[part] for part in ("title", "vconcat")}  # the rest is the same of all
    assert as_kept(as_lines(kept), f"figures/{name}.json", tmp_path)


def test_what_figures_that_are_drawn_like_others_are_told_is_as_before(tmp_path: Path) -> None:
    told = {name: vars(plan) if isinstance(plan, growth.Plan) else plan for name, plan in ALIKE.items()}
    assert as_kept(as_lines(told), "figures/alike.json", tmp_path)


def test_figures_look_alike(tmp_path: Path) -> None:
    made = style.finish({}, "", [], "")
    kept = {part: made[part] for part in ("padding", "background", "config")}
    assert as_kept(as_lines(kept), "figures/look.json", tmp_path)


def test_ticks_stand_from_one_end_of_an_axis_to_the_other() -> None:
    square, _ = style.equal_axes(("a", "A"), ("b", "B"), 6, 15, 4)
    axes = [style.year_axis(2010, 2014), style.year_axis(2018.0, 2020.5, 1), style.power_axis("a", "A", 13, 17), square]
    ticks = [axis.to_dict()["axis"]["values"] for axis in axes]
    assert ticks == [[2010, 2012, 2014], [2018, 2019, 2020], [13, 15, 17], [8, 12]]


@pytest.mark.parametrize(("hours", "told"), [(1.5, "90 minutes"), (2.4, "2 hours"), (40, "40 hours")])
def test_short_times_of_all_chips_are_told_in_minutes(hours: float, told: str) -> None:
    a_year = pd.DataFrame({"year": [2023.5, 2024.0, 2025.0], "value": [28.0, 29.0, 30.0]})
    run = pd.Series({"year": 2024.0, "value": 29 + math.log10(hours / 8766)})  # hours of the year 2024
    assert supply._span(run, a_year) == told


def test_a_query_is_asked_of_the_one_database(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "traincompute.duckdb") as connection:
        connection.execute("create table models as select 7 as n")
    asked = Data(Paths(output=tmp_path)).asked(Figure("a", "A", "", "select n + 1 as m from models"))
    assert asked.to_dict("list") == {"m": [8]}
