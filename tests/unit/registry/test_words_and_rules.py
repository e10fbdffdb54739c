"""The fields that facts may state, rules across columns, and how a fact is cited: on columns and words made up here."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from types import SimpleNamespace as Some
from typing import Any

import pandas as pd
import pytest

from pipeline.base.errors import DataError
from pipeline.registry.fields import Field, field_registry
from pipeline.registry.provenance import leads_nowhere
from pipeline.registry.rules import evaluate, read_rules
from pipeline.registry.schema import Column

ROWS = pd.DataFrame({"a": [1.0, 3.0, None], "b": [2.0, None, None], "c": ["x", "y", None], "base.a": [1.0, 1.0, 1.0]})


def test_a_fact_states_a_column_by_its_name_or_claim_or_a_further_field_of_models() -> None:
    columns = [
        Column("power_w", "number", "Power.", "W"),
        Column("organizations", "list", "Who.", vocab="organizations", claim="organization", set=True),
    ]
    further = {"note": {"type": "string"}, "size": {"type": "number", "unit": "B", "vocab": "sizes"}}
    tables: Any = {"models": Some(columns=columns), "chips": Some(columns=columns[:1])}
    words: Any = {"fields": Some(codes=further)}
    power = Field("number", "W", "", True)
    assert field_registry(tables, words, ["models", "chips"]) == {
        "models.power_w": power,
        "models.organization": Field("list", "", "organizations", False),
        "chips.power_w": power,
        "models.note": Field("string", "", "", True),
        "models.size": Field("number", "B", "sizes", True),
    }


@pytest.mark.parametrize(
    ("text", "columns", "holds"),
    [
        ("a < b", ("a", "b"), [True, True, True]),  # what is unknown breaks nothing
        ("a <= 1", ("a",), [True, False, True]),
        ("1.5 < a != 2", ("a",), [False, True, True]),
        ("c == 'x'", ("c",), [True, False, True]),
        ("b - a >= 1 and a * 2 > 1", ("b", "a"), [True, True, True]),
        ("b / a > base.a + 1", ("b", "a", "base.a"), [False, True, True]),
        ("known(a)", ("a",), [True, True, False]),
        ("not known(b)", ("b",), [False, True, True]),
        ("known(b) or a > 3", ("b", "a"), [True, False, True]),
        ("close(b, a)", ("b", "a"), [False, True, True]),
    ],
)
def test_a_rule_holds_or_not_for_each_row(text: str, columns: tuple[str, ...], holds: list[bool]) -> None:
    (rule,) = read_rules([{"name": "r", "rule": text, "why": "because"}], ["a", "b", "c", "base"], "a.yml")
    assert rule.columns == columns
    assert evaluate(rule.tree, ROWS.__getitem__, pd.isna).tolist() == holds
    (again,) = read_rules(
        [{"name": "r", "rule": text, "why": "because"}], sorted({*".".join(columns).split(".")}), "a.yml"
    )
    assert again.columns == columns, "it may look at all columns that there are"
    with pytest.raises(FrozenInstanceError):
        rule.name = "s"


def test_what_is_close_differs_by_a_millionth_at_most() -> None:
    (rule,) = read_rules([{"name": "r", "rule": "close(a, b)", "why": "because"}], ["a", "b"], "a.yml")
    sides = {"a": pd.Series([1.0000009, 0.9999991, 1.0000011, 0.9999989]), "b": pd.Series([1.0] * 4)}
    assert evaluate(rule.tree, lambda name: sides[name] * 2, pd.isna).tolist() == [True, True, False, False]


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (["a < b", "a < b"], ["a.yml [r]: checks: two rules of this name; rename one"]),
        (
            ["a < z and base.z > 1"],
            [
                'a.yml [r]: rule "z": no such column; one of a, b, base',
                'a.yml [r]: rule "base.z": no such column; one of a, b, base',
            ],
        ),
        (
            ["a <"],
            [
                'a.yml [r]: rule "a <": cannot be read; write a comparison of columns such as `low <= value`,'
                " known(column) or close(a, b)"
            ],
        ),
        (
            ["a in b"],
            [
                'a.yml [r]: rule "a in b": cannot be read; write a comparison of columns such as `low <= value`,'
                " known(column) or close(a, b)"
            ],
        ),
        (
            ["not a < b"],
            [
                'a.yml [r]: rule "not a < b": cannot be read; write a comparison of columns such as `low <= value`,'
                " known(column) or close(a, b)"
            ],
        ),
    ],
)
def test_rules_that_cannot_be_are_refused(rules: list[str], words: list[str]) -> None:
    given = [{"name": "r", "rule": rule, "why": "because"} for rule in rules]
    with pytest.raises(DataError) as caught:
        read_rules([*given, {"name": "other", "rule": "a < b", "why": "because"}], ["a", "b", "base"], "a.yml")
    assert [str(problem) for problem in caught.value.problems] == words


@pytest.mark.parametrize(
    ("locator", "evidence", "nowhere"),
    [
        (" ", "seen", True),
        ("Paper (page 3)", "seen", True),
        ("main text, end", "seen", True),
        ("methods", "seen", True),
        ("methods, training regimen", "seen", False),
        ("Table 2, paper", "seen", False),
        ("Appendix B", "seen", False),
        ("not located", "recalled", False),
        ("not located", "seen", True),
        ("Not located, but said", "secondary", True),
        ("Table 2", "recalled", False),
        ("post", "recalled", True),
    ],
)
def test_a_locator_is_a_place_in_a_text_or_says_that_none_is_known(locator: str, evidence: str, nowhere: bool) -> None:
    assert leads_nowhere(locator, evidence) is nowhere
