"""Schemas: columns, rules and fields."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from pipeline.errors import DataError
from pipeline.paths import Paths
from pipeline.schema import Column, Rule, TableSchema, field_registry, load_schema, load_schemas
from pipeline.validate.stage import broken_rows
from pipeline.vocabularies import load_vocabularies

SCHEMA = """name: chips
title: Chips
description: One row per chip.
fields:
- {name: chip, type: string, description: Its name, constraints: {required: true}}
- {name: tdp_w, type: number, description: Its power, unit: W, derived: from the data sheet}
checks:
- {name: positive, rule: tdp_w > 0, why: it draws power}
primaryKey: [chip]
"""
ROWS = pd.DataFrame({
    "a": [1.0, 3.0, None], "b": [2.0, None, None], "c": ["x", "y", None], "d": ["x;z", "x", None],
    "base": ["k"] * 3, "id": ["k", "l", "m"],
})  # fmt: skip


def schema(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "schemas" / "chips.yml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def test_a_schema_names_its_columns_what_they_mean_and_which_must_be_filled(tmp_path: Path) -> None:
    schema(tmp_path, SCHEMA)
    table = load_schemas(Paths(tmp_path))["chips"]
    assert (table.names, table.key) == (["chip", "tdp_w"], "chip")
    assert [column.required for column in table.columns] == [True, False]
    assert table.column("tdp_w").comment == "Its power [W]. Derived: from the data sheet"
    assert [(rule.name, rule.columns) for rule in table.rules] == [("positive", ("tdp_w",))]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("name: chips", "name: chip", 'name "chip": is not the name of the file; name it chips'),
        ("name: tdp_w", "name: chip", 'fields "chip": two columns of this name; rename'),
        ("primaryKey: [chip]", "primaryKey: [id]", 'primaryKey "id": no such column; one of'),
        ("type: number", "type: float", "fields.item 2.type \"float\": expected 'string'"),
        ("checks:\n", "checks:\n- {name: positive, rule: tdp_w > 1, why: so}\n", 'checks "positive": two rules'),
        (", why: it draws power", "", "checks.item 1.why: the key is missing; add it"),
        ("tdp_w > 0", "watts > 0", 'positive "watts": no such column; one of chip, tdp_w'),
    ],
)
def test_what_a_schema_cannot_say_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    file = schema(tmp_path, SCHEMA.replace(old, new))
    with pytest.raises(DataError) as caught:
        load_schema(file, Paths(tmp_path))
    assert any(f": {said}" in str(problem) for problem in caught.value.problems), caught.value


@pytest.mark.parametrize(
    ("text", "columns", "holds"),
    [
        ("a < b", ("a", "b"), [True, True, True]),  # what is unknown breaks nothing
        ("1.5 < a and c != 'x'", ("a", "c"), [False, True, True]),
        ("b / a > base.a + 1", ("b", "a", "base.a"), [False, True, True]),
        ("known(a)", ("a",), [True, True, False]),
        ("not known(b)", ("b",), [False, True, True]),
        ("close(b, a)", ("b", "a"), [False, True, True]),
        ("share(d, c)", ("d", "c"), [True, False, True]),
    ],
)
def test_a_rule_holds_or_not_for_each_row(text: str, columns: tuple[str, ...], holds: list[bool]) -> None:
    rule = Rule("r", text, "because")
    assert rule.columns == columns
    broken = [problem.record for problem in broken_rows(ROWS, TableSchema("a", "", "", ("id",), (), (rule,)))]
    assert [key not in broken for key in ROWS["id"]] == holds


def test_a_rule_that_sql_cannot_read_is_named() -> None:
    rules = (Rule("r", "a >", "so"),)
    with pytest.raises(DataError, match=r'a\.yml \[r\]: rule "a >": cannot be read; write a comparison'):
        broken_rows(ROWS, TableSchema("a", "", "", ("id",), (), rules))


def test_a_fact_states_a_column_by_its_name_or_claim_or_a_further_field_of_models() -> None:
    schemas, words = load_schemas(Paths()), load_vocabularies(Paths())
    fields = field_registry(schemas, words, ["models", "hardware"])
    assert fields["models.organization"].vocab == "organizations", "the column organizations, by its claim"
    assert fields["models.training_compute_flop"][:2] == ("number", "FLOP")
    assert "hardware.type" in fields
    assert {f"models.{name}" for name in words["fields"].codes} <= set(fields)
    assert Column("a", "list", "", set=True).set
