"""Upstream documents: what is read, and how a place that differs is named."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from pipeline.base.errors import DataError, Problem
from pipeline.pull.documents import FORM, plain_columns, read_json, read_toml, read_yaml

AGAIN = "fetch the file again; it is cut or damaged"
MODELS = {"models": [{"name": str, **plain_columns([["size"], ["released", "date"]])}]}
READ: dict[str, tuple[Callable[..., Any], bytes]] = {
    "json": (read_json, b'{"models": [{"name": "BLOOM", "size": 176, "more": [1]}]}'),
    "toml": (read_toml, b'[[models]]\nname = "BLOOM"\nsize = 176\nmore = [1]\n'),
    "yaml": (read_yaml, b"models: [{name: BLOOM, size: 176, more: [1]}]"),
}


@pytest.mark.parametrize(("read", "content"), READ.values(), ids=READ)
def test_a_document_is_read_with_keys_that_nothing_is_read_of(read: Callable[..., Any], content: bytes) -> None:
    assert read(content, "m", MODELS) == {"models": [{"name": "BLOOM", "size": 176, "more": [1]}]}


def test_a_column_may_be_absent_or_any_plain_value() -> None:
    assert read_yaml(b"models: [{name: BLOOM, released: 2022-07-06, size: , date: true}]", "m", MODELS) == {
        "models": [{"name": "BLOOM", "released": date(2022, 7, 6), "size": None, "date": True}]
    }


def fault(read: Callable[..., Any], content: bytes, shape: Any = MODELS) -> Problem:
    with pytest.raises(DataError) as refused:
        read(content, "served", shape)
    (problem,) = refused.value.problems
    return problem


@pytest.mark.parametrize("read", [read_json, read_toml, read_yaml])
def test_what_cannot_be_read_is_said_in_one_line(read: Callable[..., Any]) -> None:
    problem = fault(read, b"a: 1\n b: [\n")
    assert (problem.where, problem.record, problem.remedy) == ("served", "", AGAIN)
    assert problem.reason.startswith("cannot be read: ")
    assert "\n" not in problem.reason


@pytest.mark.parametrize(
    ("content", "record", "field", "reason"),
    [
        (
            b'{"name": "all", "models": [{"name": "OPT", "size": [1]}]}',
            "OPT",
            "models.item 1.size",
            "is a list, not a text",
        ),
        (b'{"name": "all", "models": [{"name": ["OPT"]}]}', "all", "models.item 1.name", "is a list, not a text"),
        (b'{"models": [{"name": "OPT"}, {}]}', "", "models.item 2.name", "the key is missing"),
        (b'{"name": "all"}', "all", "models", "the key is missing"),
        (b"[1]", "", "", "is a list, not a mapping"),
    ],
)
def test_a_fault_is_named_by_its_place_and_the_innermost_record_that_has_a_name(
    content: bytes, record: str, field: str, reason: str
) -> None:
    problem = fault(read_json, content, MODELS | {"name?": str})
    assert (problem.where, problem.record, problem.field, problem.remedy) == ("served", record, field, FORM)
    assert problem.reason.startswith(reason)


def test_a_record_below_a_key_that_is_a_number_is_named() -> None:
    problem = fault(read_yaml, b"2010: {name: DistBelief, size: [1]}", {...: {"name": str, "size": str}})
    assert (problem.record, problem.field) == ("DistBelief", "2010.size")
