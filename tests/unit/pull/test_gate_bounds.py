"""Where each gate of a pull closes: the last state that it lets through, and the first that it does not."""

from __future__ import annotations

from typing import Any

import pytest
from plain_source import source

from pipeline.pull.gates import check_gates
from pipeline.pull.tabular import Fact, Reading
from pipeline.registry.limits import Limit
from pipeline.registry.sources import Source

LIMIT = Limit(max_emptied=0.1, max_changed=0.2, min_filled=0.5, min_distinct=0.5)


def names(count: int, first: int = 0) -> list[Fact]:
    return [Fact(f"model {number}", "name", f"model {number}") for number in range(first, first + count)]


def reasons(of: Source, after: list[Fact], before: list[Fact], rows: int = 0, unnamed: int = 0) -> list[str]:
    reading = Reading(after, rows or len({fact.record for fact in after}), unnamed)
    return [problem.reason for problem in check_gates(of, reading, before, "acme")]


@pytest.mark.parametrize(
    ("gates", "before", "named", "unnamed", "closed"),
    [
        ({}, 0, 1, 0, ""),
        ({}, 0, 0, 0, "0 named rows, at least 1 expected (0 before)"),
        ({}, 9, 1, 0, ""),  # without max_shrink it may shrink to one row
        ({"min_rows": 3}, 0, 3, 0, ""),
        ({"min_rows": 3}, 0, 2, 5, "2 named rows, at least 3 expected (0 before)"),
        ({"min_rows": 3, "max_shrink": 0.25}, 8, 6, 0, ""),
        ({"min_rows": 3, "max_shrink": 0.25}, 8, 5, 1, "5 named rows, at least 6 expected (8 before)"),
    ],
)
def test_rows(gates: dict[str, Any], before: int, named: int, unnamed: int, closed: str) -> None:
    found = reasons(source(gates=gates), names(named), names(before), named + unnamed, unnamed)
    assert found == ([closed] if closed else [])


@pytest.mark.parametrize(("gone", "closed"), [(4, []), (5, ["5 of 8 names are gone"])])
def test_names(gone: int, closed: list[str]) -> None:
    after = names(8, first=gone)
    assert reasons(source(gates={"max_names_gone": 0.5}), after, names(8)) == closed
    assert reasons(source(), after, names(8)) == []
    assert reasons(source(gates={"max_names_gone": 0.5}), after, []) == []


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [("training_compute_flop", "1e24", "a lot"), ("publication_date", "31/12/2023", "soon")],
)
def test_cells_that_can_be_read(field: str, good: str, bad: str) -> None:
    of = source(gates={"min_parsable": {field: 0.8}})
    for unread, closed in ((2, []), (3, ["only 7 of 10 cells can be read, 80% expected"])):
        texts = [bad] * unread + [good] * (10 - unread)
        cells = [Fact(f"model {number}", field, text) for number, text in enumerate(texts)]
        assert reasons(of, [*names(10), *cells], []) == closed
    assert reasons(of, names(10), []) == []


def country(count: int, *texts: str) -> list[Fact]:
    """Cells of so many records, of which the first have these texts ("" for none) and the others each its own."""
    cells = [*texts, *(f"country {number}" for number in range(len(texts), count))]
    return [Fact(f"model {number}", "country", text) for number, text in enumerate(cells) if text]


@pytest.mark.parametrize(
    ("text", "cells", "many", "closed"),
    [
        ("", 30, 3, ""),  # a tenth
        ("", 30, 4, "4 of 30 cells were emptied, at most 0.1 of them expected"),
        ("", 9, 2, ""),  # two may always change
        ("", 9, 3, "3 of 9 cells were emptied, at most 0.1 of them expected"),
        ("Acme", 30, 6, ""),
        ("Acme", 30, 7, "7 of 30 cells were changed, at most 0.2 of them expected"),
    ],
)
def test_revised_cells(text: str, cells: int, many: int, closed: str) -> None:
    of, before = source(limits={"country": LIMIT}), [*names(cells), *country(cells)]
    found = reasons(of, [*names(cells), *country(cells, *[text] * many)], before)
    assert found == ([closed] if closed else [])


def test_a_column_without_a_history_may_lose_half_of_its_cells() -> None:
    before = [*names(10), *country(10)]
    assert reasons(source(), [*names(10), *country(10, *[""] * 5)], before) == []
    assert reasons(source(), [*names(10), *country(10, *[""] * 6)], before) == [
        "6 of 10 cells were emptied, at most 0.5 of them expected"
    ]


@pytest.mark.parametrize(
    ("cells", "more", "closed"),
    [
        (20, 20, ""),  # half as many
        (20, 21, "its share of filled cells is 0.49 of what it was, at least 0.5 expected"),
        (19, 21, ""),  # too few to say anything
    ],
)
def test_new_rows_without_the_column(cells: int, more: int, closed: str) -> None:
    of, old = source(limits={"country": LIMIT}), [*names(cells), *country(cells)]
    found = reasons(of, [*old, *names(more, first=cells)], old)
    assert found == ([closed] if closed else [])


@pytest.mark.parametrize(
    ("more", "closed"),
    [(22, ""), (23, "its share of distinct values is 0.49 of what it was, at least 0.5 expected")],
)
def test_new_rows_with_one_text_in_the_column(more: int, closed: str) -> None:
    of, old = source(limits={"country": LIMIT}), [*names(20), *country(20)]
    new = [Fact(fact.record, "country", "Acme") for fact in names(more, first=20)]
    assert reasons(of, [*old, *names(more, first=20), *new], old) == ([closed] if closed else [])  # 21/42, 21/43
