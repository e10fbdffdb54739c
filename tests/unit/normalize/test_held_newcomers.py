"""Which new values of a live pull are held, at the limits of each rule."""

from __future__ import annotations

import pandas as pd
import pytest

from pipeline.base.names import skeleton
from pipeline.normalize.newcomers import _firsts, _reason

FIELD = "training_compute_flop"
CELL = {"source_id": "s", "record": "A", "field": FIELD}
PRESENT = {**CELL, "locator": "", "reason_code": "", "value": 5.0}
SPAN = {**CELL, "record": "B", "value": 1.0, "is_live": True, "is_sure": False}


@pytest.mark.parametrize(
    ("value", "reason"),
    [(9.0, ""), (10.0, ""), (10.1, "held: above all known values, of which the largest is 10")],
)
def test_only_what_is_above_the_largest_known_value_is_held(value: float, reason: str) -> None:
    assert _reason("A", FIELD, value, {}, {FIELD: 10.0}) == reason


def test_where_nothing_is_known_of_a_field_nothing_is_held() -> None:
    assert _reason("A", FIELD, 1e30, {}, {}) == ""


def test_a_value_near_any_relative_is_not_held_and_the_last_one_is_told() -> None:
    known = {(skeleton("A"), FIELD): [(1.0, "A"), (1e6, "a")]}
    assert _reason("A @ https://example.org", FIELD, 1.0, known, {}) == ""
    reason = "held: ×0.001 against a, whose name is easily confused with this one"
    assert _reason("A", FIELD, 1e3, known, {}) == reason


@pytest.mark.parametrize(
    ("present", "span", "expected"),
    [
        ({}, {}, 1),
        ({"value": 0.0}, {}, 0),
        ({"value": 1e-9}, {}, 1),
        ({"locator": "note"}, {}, 0),
        ({"reason_code": "held"}, {}, 0),
        ({"field": "name"}, {}, 0),
        ({}, {"is_live": False}, 0),
        ({}, {"source_id": "t"}, 0),
        ({}, {"record": "A", "is_sure": True}, 0),
        ({}, {"record": "A"}, 1),
    ],
)
def test_a_first_is_a_plain_value_of_a_pulled_source_that_no_sure_snapshot_had(
    present: dict[str, object], span: dict[str, object], expected: int
) -> None:
    found = _firsts(pd.DataFrame([{**PRESENT, **present}]), pd.DataFrame([{**SPAN, **span}]))
    assert len(found) == expected
