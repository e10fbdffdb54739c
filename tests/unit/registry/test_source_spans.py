"""Which source a vintage uses: the spans of a source follow each other without a day in common."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.registry.sources import load_sources

FIRST, CHANGE, LAST = date(2022, 5, 3), date(2022, 9, 1), date(2024, 7, 16)
DAY = timedelta(days=1)


def test_a_source_is_used_from_its_first_day_to_the_day_before_the_last() -> None:
    source = replace(load_sources(Paths(CHECKOUT))["epoch_all"], vintages=((FIRST, CHANGE), (LAST, None)))
    days = (FIRST - DAY, FIRST, CHANGE - DAY, CHANGE, LAST - DAY, LAST, date.max)
    assert [source.in_vintage(day) for day in days] == [False, True, True, False, False, True, True]
    assert replace(source, always_current=True).in_vintage(FIRST - DAY)


def test_the_full_sheet_gives_way_on_the_day_of_the_first_notable_file() -> None:
    sources = load_sources(Paths(CHECKOUT))
    for day, used in ((CHANGE - DAY, "epoch_all"), (CHANGE, "epoch_notable")):
        assert [name for name in ("epoch_all", "epoch_notable") if sources[name].in_vintage(day)] == [used]


def test_a_vintage_uses_the_last_snapshot_up_to_its_day() -> None:
    source = replace(load_sources(Paths(CHECKOUT))["epoch_notable"], vintages=((FIRST, None),))
    days = [FIRST, CHANGE, LAST]
    found = [source.snapshot_at(days, day) for day in (FIRST - DAY, FIRST, CHANGE - DAY, CHANGE, LAST)]
    assert found == [None, FIRST, FIRST, CHANGE, LAST]
    assert replace(source, always_current=True).snapshot_at(days, FIRST - DAY) == LAST
