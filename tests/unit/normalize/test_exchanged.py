"""Dates of a live pull of which day and month changed places: which are held, and what stands in their place."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from pipeline.normalize import exchanged

OLD, NEW = "2023-03-05", "2023-05-03"
ROW = {
    "source_id": "s", "record": "A", "field": "publication_date", "code": NEW, "value_text": NEW, "locator": "",
    "since": pd.Timestamp("2026-11-02"), "snapshot": pd.Timestamp("2026-11-02"),
    "reason_code": "", "reason": "", "remedy": "", "until": pd.NaT,
}  # fmt: skip
BEFORE = {**ROW, "code": OLD, "value_text": OLD, "since": pd.Timestamp("2026-11-01"), "until": ROW["since"]}
LIVE = {"s": {"2026-11-02"}}


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Any:
    def made(now: dict[str, Any], before: dict[str, Any], live: Any = LIVE) -> list[tuple[str, str]]:
        monkeypatch.setattr(exchanged, "live_days", lambda _: live)
        monkeypatch.setattr(exchanged, "with_readings", lambda rows, _: rows)
        ledger = pd.DataFrame([{**BEFORE, **before}, {**ROW, **now}])
        found = exchanged.hold_exchanged(pd.DataFrame([{**ROW, **now}]), ledger, pd.DataFrame(), {}, [])
        return list(found[["code", "reason_code"]].itertuples(index=False, name=None))

    return made


def test_the_date_before_stays_and_the_new_one_is_held(held: Any) -> None:
    assert held({}, {}) == [(NEW, "exchanged"), (OLD, "")]


@pytest.mark.parametrize(
    ("now", "before"),
    [
        ({"locator": "note"}, {}),
        ({"field": "name"}, {"field": "name"}),
        ({"since": pd.Timestamp("2026-11-01")}, {}),
        ({"code": "2023-05-04"}, {}),
        ({}, {"until": pd.NaT}),
        ({}, {"locator": "note"}),
        ({}, {"reason_code": "unreadable"}),
        ({}, {"record": "B"}),
        ({}, {"source_id": "t"}),
    ],
)
def test_no_other_date_is_held(held: Any, now: dict[str, Any], before: dict[str, Any]) -> None:
    assert len(held(now, before)) == 1
    assert held(now, before)[0][1] == ""


def test_a_day_that_was_not_pulled_live_holds_nothing(held: Any) -> None:
    assert held({}, {}, {"s": {"2026-11-01"}}) == [(NEW, "")]
