"""Since when a cell has its value, and which of two files of a publisher last changed it."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

from pipeline.normalize.changes import last_changes, value_since

# the snapshots of two files of one publisher: one is often drawn, the other seldom
OFTEN = [date(2025, 1, 1), date(2026, 3, 30), date(2026, 8, 18), date(2026, 8, 19)]
SELDOM = [date(2023, 12, 14), date(2026, 3, 30), date(2026, 11, 28)]
Span = tuple[str, float, str, str | None]  # text, value, since, until


def facts(source: str, spans: list[Span], appeared: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The spans of one cell of a record that appeared on a day."""
    rows = [(source, "M", "parameters", "", since, until) for _, _, since, until in spans]
    rows.append((source, "M", "name", "", appeared, None))
    table = pd.DataFrame(rows, columns=["source_id", "record", "field", "locator", "since", "until"])
    days = {name: pd.to_datetime(table[name]).astype("datetime64[s]") for name in ("since", "until")}
    readings = pd.DataFrame({"value": [*(value for _, value, _, _ in spans), np.nan], "low": np.nan, "high": np.nan})
    return table.assign(**days, text=range(len(table))), readings.assign(code=[""] * len(spans) + ["M"])


@pytest.mark.parametrize(
    ("spans", "since"),
    [
        ([("7e9", 7e9, "2025-01-01", None)], "2025-01-01"),
        ([("7e9", 7e9, "2025-01-01", "2026-08-18"), ("7E+9", 7e9, "2026-08-18", None)], "2025-01-01"),
        ([("7e9", 7e9, "2025-01-01", "2026-08-18"), ("7.1e9", 7.1e9, "2026-08-18", None)], "2026-08-18"),
        ([("7e9", 7e9, "2025-01-01", "2026-03-30"), ("7e9", 7e9, "2026-08-18", None)], "2026-08-18"),  # blank between
        (
            [("7e9", 7e9, "2025-01-01", "2026-03-30"), ("8e9", 8e9, "2026-03-30", "2026-08-18"),
             ("7E9", 7e9, "2026-08-18", "2026-08-19"), ("7e09", 7e9, "2026-08-19", None)], "2026-08-18",
        ),
    ],
)  # fmt: skip
def test_another_spelling_begins_no_value(spans: list[Span], since: str) -> None:
    table, readings = facts("often", spans, "2025-01-01")
    standing = table["until"].isna() & (table["field"] == "parameters")
    assert value_since(table, readings)[standing].tolist() == [pd.Timestamp(since)]


def changed(source: str, *days: str, appeared: str) -> int:
    """When a cell last changed that got another value on each of the days."""
    spans = [
        (f"{n}e9", n * 1e9, day, until) for n, (day, until) in enumerate(zip(days, [*days[1:], None], strict=True), 1)
    ]
    table, readings = facts(source, spans, appeared)
    found = last_changes(table, value_since(table, readings), {"often": OFTEN, "seldom": SELDOM})
    return int(found[len(spans) - 1])


def test_a_cell_that_is_as_it_was_when_its_record_appeared_never_changed() -> None:
    assert changed("often", "2025-01-01", appeared="2025-01-01") == 0
    assert changed("seldom", "2026-11-28", appeared="2026-11-28") == 0
    assert changed("seldom", "2026-11-28", appeared="2026-03-30") > 0


def test_the_later_change_is_that_which_came_after_the_later_snapshot() -> None:
    often, seldom = "2025-01-01", "2023-12-14"
    before = changed("often", often, "2026-03-30", appeared=often)  # after 2025-01-01
    assert changed("seldom", seldom, "2026-03-30", appeared=seldom) < before, "some day after 2023-12-14"
    assert changed("seldom", seldom, "2026-11-28", appeared=seldom) > before, "after 2026-03-30"
    assert changed("seldom", seldom, "2026-11-28", appeared=seldom) < changed(
        "often", often, "2026-08-19", appeared=often
    )
    assert changed("often", often, "2026-08-18", appeared=often) < changed("often", often, "2026-08-19", appeared=often)
