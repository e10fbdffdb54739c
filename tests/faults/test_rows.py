"""The table of faults (rows.csv): each row has its test, and each test that is named there exists."""

from __future__ import annotations

import ast
import csv
from functools import cache

from pipeline.base.paths import CHECKOUT

FAULTS = tuple(range(1, 112))


def lines() -> list[tuple[int, str]]:
    with (CHECKOUT / "tests" / "faults" / "rows.csv").open(encoding="utf-8", newline="") as file:
        return [(int(line["row"]), line["test"]) for line in csv.DictReader(file)]


@cache
def functions_of(file: str) -> frozenset[str]:
    tree = ast.parse((CHECKOUT / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def test_every_fault_has_a_test_that_exists() -> None:
    missing = [test for _, test in lines() if test.split("::")[1] not in functions_of(test.split("::")[0])]
    assert missing == []
    assert {row for row, _ in lines()} == set(FAULTS)


def test_every_fault_is_described() -> None:
    with (CHECKOUT / "tests" / "faults" / "faults.csv").open(encoding="utf-8", newline="") as file:
        described = list(csv.DictReader(file))
    assert [int(line["row"]) for line in described] == list(FAULTS)
    assert all(line["fault"] and line["expected"] for line in described)


def test_the_table_is_in_order_and_names_nothing_twice() -> None:
    assert lines() == sorted(set(lines()))
