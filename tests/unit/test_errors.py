"""What is said of faults in data."""

import pytest

from pipeline.errors import Problem, render

FAULT = Problem("facts.csv:2", "GPT-3", "parameters", "many", "not a number", "write digits")


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (FAULT, 'facts.csv:2 [GPT-3]: parameters "many": not a number; write digits'),
        (FAULT._replace(value=""), "facts.csv:2 [GPT-3]: parameters: not a number; write digits"),
        (FAULT._replace(field="", remedy=""), 'facts.csv:2 [GPT-3]: "many": not a number'),
        (FAULT._replace(record="", field="", value=""), "facts.csv:2: not a number; write digits"),
        (FAULT._replace(record="r" * 81, field="", value=""), f"facts.csv:2 [{'r' * 79}…]: not a number; write digits"),
    ],
)  # fmt: skip
def test_a_fault_is_told_in_one_line(problem: Problem, line: str) -> None:
    assert str(problem) == line


def test_faults_of_one_kind_are_one_line_and_kinds_beyond_40_are_counted() -> None:
    again = [FAULT._replace(where=f"facts.csv:{line}") for line in (3, 4)]
    assert render([FAULT, *again]) == f"{FAULT} (and 2 more)"
    kinds = [FAULT._replace(value=str(number)) for number in range(42)]
    assert render(kinds).splitlines() == [*(str(kind) for kind in kinds[:40]), "... and 2 more kinds of fault"]
