"""Rows against the rules across columns of their schema, as checks of pandera."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from pipeline.base.errors import Problem
from pipeline.registry.rules import Rule, evaluate
from pipeline.registry.schema import TableSchema
from pipeline.validate.pandera_alone import pa

REMEDY = "correct one of them in data/raw/curated/corrections.yml, or the fact that a person entered"


def row_checks(table: TableSchema) -> list[Any]:
    """A check of pandera for each rule of the schema, named after it."""
    return [pa.Check(_test(rule, table), name=rule.name, error=rule.name) for rule in table.rules]


def _test(rule: Rule, table: TableSchema) -> Callable[[pd.DataFrame], pd.Series]:
    def test(frame: pd.DataFrame) -> pd.Series:
        held: pd.Series = evaluate(rule.tree, lambda name: column_of(frame, name, table), pd.isna)
        return held.astype("bool")

    return test


def column_of(frame: pd.DataFrame, name: str, table: TableSchema) -> pd.Series:
    """A column of the frame, or for `a.b` the column b of the row that a refers to."""
    here, _, there = name.partition(".")
    values = frame[here]
    return values.map(frame.set_index(table.primary_key[0])[there]) if there else values


def rule_problem(rule: Rule, frame: pd.DataFrame, index: Any, table: TableSchema, key: str) -> Problem:
    """The fault of a row, with what all columns of the rule say."""
    said = [f"{name} {column_of(frame, name, table)[index]}" for name in rule.columns]
    return Problem(table.name, key, rule.columns[0], "", f"breaks {rule.name} ({', '.join(said)}): {rule.why}", REMEDY)
