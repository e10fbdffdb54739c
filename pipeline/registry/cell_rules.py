"""Rules of single cells, as schemas/*.yml state them under `constraints`: the same tests for pandas and ibis."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pipeline.registry.schema import Column

Test = Callable[[Any], Any]  # whether each cell of a column keeps a rule; of an empty cell it says nothing
# constraint → the test of a cell and its bound, and what is said of a cell that fails
RULES: Mapping[str, tuple[Callable[[Any, Any], Any], str]] = {
    "minimum": (operator.ge, "is below {}"),
    "exclusiveMinimum": (operator.gt, "is not above {}"),
    "maximum": (operator.le, "is above {}"),
    "enum": (lambda cells, listed: cells.isin([str(item) for item in listed]), "is not one of {}"),
}


def cell_rules(
    column: Column, fullmatch: Callable[[Any, str], Any], day: Callable[[str], Any]
) -> Iterator[tuple[str, Test]]:
    """For each constraint of a column what is said of a cell that breaks it, and the test. `fullmatch` and `day` are
    the engine's match of a whole text and its date."""
    rules = {**RULES, "pattern": (fullmatch, "does not match {}")}
    for name, (test, words) in rules.items():
        if name in column.constraints:
            given = column.constraints[name]
            bound = day(str(given)) if column.type == "date" else given
            yield words.format(given), lambda cells, test=test, bound=bound: test(cells, bound)  # type: ignore[misc]
