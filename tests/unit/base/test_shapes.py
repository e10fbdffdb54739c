"""Shapes of declarations: what fits, and what is said of what does not."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from pipeline.base.shapes import SCALAR, faults


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        (1, float),
        (1.5, float),
        (True, bool),
        (date(2024, 1, 2), date),
        (None, (str, None)),
        ([], [str]),
        ([1, "a", False], [SCALAR]),
        ("a", {"a", "b"}),
        ({"a": 1}, {"a": float, "b?": str}),
        ({"a": 1, "x": 2, 2010: 3}, {"a": float, ...: float}),
        ({}, object),
    ],
)
def test_what_fits(value: Any, shape: Any) -> None:
    assert list(faults(value, shape)) == []


@pytest.mark.parametrize(
    ("value", "shape", "field", "shown", "reason"),
    [
        (True, float, "", "True", "is true or false, not a number"),
        (None, object, "", "", "has no value; it needs a value"),
        (None, {"a": str}, "", "", "has no value; it needs a mapping"),
        ([1], {"a": str}, "", "", "is a list, not a mapping"),
        ({"a": 1}, [str], "", "", "is a mapping, not a list"),
        ("c", {"a", "b"}, "", "c", "is a text, not one of a, b"),
        (["a", 1], [str], "item 2", "1", "is a number, not a text"),
        ({"a": {"b": None}}, {"a": {"b": date}}, "a.b", "", "has no value; it needs a day"),
        ({}, {"a": str, "b?": str}, "a", "", "the key is missing"),
        ({"a": "x", "c": 1}, {"a": str}, "c", "", "unknown key"),
        ({2010: "y"}, {...: float}, "2010", "y", "is a text, not a number"),
        ({2010: 1}, {"a?": float}, "2010", "", "unknown key"),
        ({"a": 1, "x": "y"}, {"a": float, ...: float}, "x", "y", "is a text, not a number"),
        (1, (str, None), "", "1", "is a number, not a text"),
    ],
)
def test_what_does_not_fit(value: Any, shape: Any, field: str, shown: str, reason: str) -> None:
    found = list(faults(value, shape))
    assert [(fault.field, fault.value, fault.reason) for fault in found] == [(field, shown, reason)]


def test_what_is_unknown_is_shown_the_nearest_key() -> None:
    near, far = {"fields": str, "field_of": str}, {"name": str, "title": str}
    assert [fault.remedy for fault in faults({"fields": "a", "field_of": "b", "field": "c"}, near)] == [
        'did you mean "fields"? known keys: field_of, fields'
    ]
    assert [fault.remedy for fault in faults({"name": "a", "title": "b", "zzz": "c"}, far)] == [
        "known keys: name, title"
    ]
