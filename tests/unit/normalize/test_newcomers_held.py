"""Which values that a live pull brings for the first time are held: those far from what stands under a name that is
easily confused, and those above all that is known."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from spans import entry, frames, lock

from pipeline.normalize.newcomers import hold_newcomers
from pipeline.normalize.quarantine import ACKNOWLEDGE

HISTORY, LIVE = "2026-03-30", "2026-04-01"
NOT_KNOWN = "whose name is easily confused with this one"


def span(record: str, value: float, since: str = HISTORY, **changed: Any) -> dict[str, Any]:
    usual = {"record": record, "field": "parameters", "value_text": f"{value:g}", "value": value, "since": since}
    return usual | changed


# Of each test: acme has something that was pulled live and is not held
ORDINARY = [span("Old", 9, field="training_hours"), span("Ordinary", 8, LIVE, field="training_hours")]


def held(*spans: dict[str, Any], live: bool = True, known: tuple[dict[str, str], ...] = ()) -> dict[str, str]:
    """{record: reason} of the facts that are held; all others are as they were."""
    present, ledger, readings = frames([*spans, *ORDINARY], LIVE)
    days = lock([LIVE] if live else [], [HISTORY] if live else [HISTORY, LIVE])
    made = hold_newcomers(present, ledger, readings, days, known)
    is_held = made["reason_code"] == "held"
    pd.testing.assert_frame_equal(made[~is_held], present[~is_held])
    assert (made.loc[is_held, "remedy"] == ACKNOWLEDGE).all()
    return dict(zip(made.loc[is_held, "record"], made.loc[is_held, "reason"], strict=True))


def above(most: str) -> str:
    return f"held: above all known values, of which the largest is {most}"


@pytest.mark.parametrize(
    ("value", "reason"), [(99, None), (100, None), (100.1, above("100")), (5000, above("100")), (1, None)]
)
def test_a_new_record_above_all_known_values_is_held(value: float, reason: str | None) -> None:
    found = held(span("Small", 20), span("Large", 100), span("Middle", 50), span("New", value, LIVE))
    assert found == ({"New": reason} if reason else {})


def test_each_field_has_its_own_maximum() -> None:
    """Of a field of which nothing is known nothing is held."""
    field = {"field": "dataset_size"}
    assert held(span("Old", 100), span("New", 500, LIVE, **field)) == {}
    assert held(span("Old", 100), span("Old", 9, **field), span("New", 50, LIVE, **field)) == {"New": above("9")}


def test_a_value_that_is_no_longer_printed_is_known_all_the_same() -> None:
    assert held(span("Old", 100, until=LIVE), span("New", 90, LIVE)) == {}


@pytest.mark.parametrize(
    ("value", "times"), [(10, ""), (1000, ""), (9.9, "×0.099"), (1001, "×10"), (5, "×0.05"), (2500, "×25")]
)
def test_a_value_far_from_that_of_a_name_easily_confused_is_held(value: float, times: str) -> None:
    """Exactly ten times as much or as little is not far."""
    found = held(span("Most", 1e9), span("GPT-3", 100), span("gpt 3", value, LIVE))
    assert found == ({"gpt 3": f"held: {times} against GPT-3, {NOT_KNOWN}"} if times else {})


def test_letters_that_look_alike_and_an_origin_do_not_make_another_name() -> None:
    reason = f"held: ×50 against GPT-3, {NOT_KNOWN}"
    assert held(span("Most", 1e9), span("GPT-3", 100), span("GРТ-3", 5000, LIVE)) == {"GРТ-3": reason}
    assert held(span("Most", 1e9), span("GPT-3", 100), span("GPT-3 @ OpenAI", 5000, LIVE)) == {"GPT-3 @ OpenAI": reason}
    other = span("GPT-3 @ Acme", 100)
    assert held(span("Most", 1e9), other, span("GPT-3 @ OpenAI", 5000, LIVE)) == {
        "GPT-3 @ OpenAI": f"held: ×50 against GPT-3 @ Acme, {NOT_KNOWN}"
    }
    assert held(span("Most", 1e9), span("Acme @ GPT-3", 100), span("OpenAI @ GPT-3", 5000, LIVE)) == {}


def test_the_same_name_in_another_source_is_called_that() -> None:
    found = held(span("Most", 1e9), span("GPT-3", 100, source_id="other"), span("GPT-3", 5000, LIVE))
    assert found == {"GPT-3": "held: ×50 against another source"}


def test_of_several_relatives_one_that_is_near_is_enough_and_else_the_last_is_named() -> None:
    relatives = [span("M1", 10), span("M-1", 20), span("m 1", 40)]
    most = span("Most", 1e9)
    assert held(most, *relatives, span("M.1", 100, LIVE)) == {}
    assert held(most, *relatives, span("M.1", 4, LIVE)) == {}
    assert held(most, *relatives, span("M.1", 500, LIVE)) == {"M.1": f"held: ×12.5 against m 1, {NOT_KNOWN}"}


def test_what_a_relative_says_of_another_field_does_not_count() -> None:
    assert held(span("Most", 1e9), span("M1", 10, field="dataset_size"), span("M-1", 5000, LIVE)) == {}


def test_a_value_near_a_relative_is_held_where_it_is_above_all() -> None:
    assert held(span("M1", 10), span("M-1", 20, LIVE)) == {"M-1": above("10")}


def test_only_an_acknowledged_value_is_taken_and_then_known() -> None:
    old, new, newest = span("Old", 100), span("New", 500, LIVE), span("Newest", 400, LIVE)
    look = entry("acknowledge", "New", "parameters", "500")
    assert held(old, new, newest) == {"New": above("100"), "Newest": above("100")}
    assert held(old, new, newest, known=(look,)) == {}
    assert set(held(old, new, known=(look | {"action": "drop"},))) == {"New"}
    assert set(held(old, new, known=(look | {"value_text": "501"},))) == {"New"}


def test_nothing_is_held_of_what_was_never_pulled_live() -> None:
    old, new = span("Old", 100), span("New", 500, LIVE)
    assert held(old, new, live=False) == {}
    assert held(old, span("Other", 500, LIVE, source_id="other")) == {}


def test_a_cell_that_history_had_is_not_new() -> None:
    """A jump of its value is the business of another rule; another field of its record is new."""
    assert held(span("Old", 100), span("M", 10, until=LIVE), span("M", 500, LIVE)) == {}
    assert held(span("M", 10, field="dataset_size"), span("Old", 100), span("M", 500, LIVE)) == {"M": above("100")}


def test_what_a_note_says_is_not_held_and_nothing_is_held_against_it() -> None:
    note = {"locator": "Parameters notes"}
    assert held(span("Old", 100), span("New", 500, LIVE, **note)) == {}
    assert held(span("Old", 100), span("Old", 900, **note), span("New", 500, LIVE)) == {"New": above("100")}


def test_only_watched_fields_are_held() -> None:
    cost = {"field": "training_cost_usd"}
    assert held(span("Old", 100, **cost), span("New", 500, LIVE, **cost)) == {}


def test_a_dataset_of_no_items_is_not_held_and_nothing_is_held_against_it() -> None:
    size = {"field": "dataset_size"}
    most = span("Most", 1e9, **size)
    assert held(most, span("M1", 10, **size), span("M-1", 0, LIVE, **size)) == {}
    assert held(most, span("M1", 0, **size), span("M-1", 10, LIVE, **size)) == {}


def test_a_value_below_one_is_held_as_well() -> None:
    epochs = {"field": "epochs"}
    assert held(span("Most", 100, **epochs), span("M1", 9, **epochs), span("M-1", 0.5, LIVE, **epochs)) == {
        "M-1": f"held: ×0.0556 against M1, {NOT_KNOWN}"
    }
    assert held(span("Most", 100, **epochs), span("M1", 0.5, **epochs), span("M-1", 9, LIVE, **epochs)) == {
        "M-1": f"held: ×18 against M1, {NOT_KNOWN}"
    }


def test_what_is_set_aside_already_keeps_its_reason() -> None:
    assert held(span("Old", 100), span("New", 500, LIVE, reason_code="out_of_range")) == {}
