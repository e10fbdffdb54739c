"""Which dates are held: those of which a live pull changed nothing but the places of day and month."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from spans import entry, frames, lock

from pipeline.normalize.exchanged import hold_exchanged
from pipeline.normalize.quarantine import ACKNOWLEDGE

HISTORY, BETWEEN, LIVE = "2026-03-30", "2026-03-31", "2026-04-01"
REASON = "day and month changed places against the snapshot before"


def span(code: str, since: str, until: str | None = None, **changed: Any) -> dict[str, Any]:
    usual = {
        "record": "M",
        "field": "publication_date",
        "value_text": code,
        "code": code,
        "since": since,
        "until": until,
    }
    return usual | changed


def pulled(*spans: dict[str, Any], live: bool = True, known: tuple[dict[str, str], ...] = ()) -> pd.DataFrame:
    present, ledger, readings = frames(list(spans), LIVE)
    days = lock([LIVE] if live else [], [HISTORY, BETWEEN] if live else [HISTORY, BETWEEN, LIVE])
    made = hold_exchanged(present, ledger, readings, days, known)
    assert list(made) == list(present)
    assert made.index.is_unique
    assert (made["snapshot"] == pd.Timestamp(LIVE)).all()
    return made


def stands(*spans: dict[str, Any], **about: Any) -> list[str]:
    """The texts that count after the hold; those that are held have the reason and the remedy."""
    made = pulled(*spans, **about)
    is_held = made["reason_code"] == "exchanged"
    assert (made.loc[is_held, ["reason", "remedy"]] == [REASON, ACKNOWLEDGE]).all(axis=None)
    assert (made.loc[~is_held, ["reason", "remedy"]] == "").all(axis=None)
    return made.loc[~is_held, "value_text"].tolist()


@pytest.mark.parametrize("field", ["publication_date", "knowledge_cutoff", "release_date", "price_date", "list_date"])
def test_of_an_exchanged_date_the_one_before_stands(field: str) -> None:
    old, new = span("2024-05-03", HISTORY, LIVE, field=field), span("2024-03-05", LIVE, field=field)
    assert stands(old, new) == ["2024-05-03"]
    made = pulled(old, new)
    assert made["reason_code"].tolist() == ["exchanged", ""]
    assert made["value_text"].tolist() == ["2024-03-05", "2024-05-03"]


@pytest.mark.parametrize("code", ["2024-05-04", "2023-03-05", "2024-05", "2024-13-05"])
def test_another_change_is_taken(code: str) -> None:
    assert stands(span("2024-05-03", HISTORY, LIVE), span(code, LIVE)) == [code]


def test_a_change_in_history_is_taken() -> None:
    old, new = span("2024-05-03", HISTORY, LIVE), span("2024-03-05", LIVE)
    assert stands(old, new, live=False) == ["2024-03-05"]
    assert stands(span("2024-05-03", HISTORY, BETWEEN), span("2024-03-05", BETWEEN)) == ["2024-03-05"]
    other = {"source_id": "other"}
    assert stands(span("2024-05-03", HISTORY, LIVE, **other), span("2024-03-05", LIVE, **other)) == ["2024-03-05"]


def test_only_an_acknowledged_change_is_taken() -> None:
    spans = span("2024-05-03", HISTORY, LIVE), span("2024-03-05", LIVE)
    look = entry("acknowledge", "M", "publication_date", "2024-03-05")
    assert stands(*spans, known=(look,)) == ["2024-03-05"]
    for changed in ({"action": "drop"}, {"record": "N"}, {"field": "release_date"}, {"value_text": "2024-05-03"}):
        assert stands(*spans, known=(look | changed,)) == ["2024-05-03"]


@pytest.mark.parametrize("changed", [{"source_id": "other"}, {"record": "N"}, {"field": "release_date"}])
def test_the_date_before_is_that_of_the_same_cell(changed: dict[str, str]) -> None:
    assert stands(span("2024-05-03", HISTORY, LIVE, **changed), span("2024-03-05", LIVE)) == ["2024-03-05"]


def test_the_date_of_what_is_ahead_and_that_in_a_note_are_taken() -> None:
    for changed in ({"field": "planned_date"}, {"locator": "Notes"}):
        old, new = span("2024-05-03", HISTORY, LIVE, **changed), span("2024-03-05", LIVE, **changed)
        assert stands(old, new) == ["2024-03-05"]


def test_a_date_in_a_note_is_not_compared_with_that_of_its_record() -> None:
    note = span("2024-03-05", LIVE, locator="Notes")
    assert stands(span("2024-05-03", HISTORY, LIVE), span("2024-06-01", LIVE), note) == ["2024-06-01", "2024-03-05"]


def test_a_date_in_a_note_or_one_that_was_set_aside_takes_no_place() -> None:
    for changed in ({"locator": "Notes"}, {"reason_code": "ambiguous"}):
        assert stands(span("2024-05-03", HISTORY, LIVE, **changed), span("2024-03-05", LIVE)) == ["2024-03-05"]


def test_of_two_such_dates_before_the_later_stands_in_whatever_order_they_are_read() -> None:
    first = span("2024-05-03", HISTORY, BETWEEN, value_text="May 3, 2024")
    second, new = span("2024-05-03", BETWEEN, LIVE, value_text="3 May 2024"), span("2024-03-05", LIVE)
    assert stands(first, second, new) == stands(new, second, first) == ["3 May 2024"]


def test_each_of_two_exchanged_dates_gets_its_own_back() -> None:
    """And what is beside them stays."""
    spans = [
        span("2024-05-03", HISTORY, LIVE),
        span("2024-03-05", LIVE),
        span("2023-01-31", HISTORY, record="Still"),
        span("2022-07-08", HISTORY, LIVE, record="N"),
        span("2022-08-07", LIVE, record="N"),
    ]
    assert sorted(stands(*spans)) == ["2022-07-08", "2023-01-31", "2024-05-03"]
    assert len(pulled(*spans)) == 5
