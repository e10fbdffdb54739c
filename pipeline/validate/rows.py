"""Rows against the rules across columns of their schema, as checks of pandera."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from pipeline.errors import Problem
from pipeline.schema import Rule, TableSchema
from pipeline.validate.evaluate import evaluate
from pipeline.validate.pandera_alone import pa

REMEDY = (
    "correct one of them in data/raw/curated/corrections.yml, or the fact that a person entered; if both are right, "
    "acknowledge the cell there with the reason and `rule`"
)
IDLE = "delete the entry that acknowledges it in data/raw/curated/corrections.yml"


def row_checks(table: TableSchema) -> list[Any]:
    """A check of pandera for each rule of the schema, named after it. None asks pandera to pass rows without a value:
    every row has a key, and looking for them took half the time of these checks."""
    return [pa.Check(_test(rule, table), name=rule.name, error=rule.name, ignore_na=False) for rule in table.rules]


def _test(rule: Rule, table: TableSchema) -> Callable[[pd.DataFrame], pd.Series]:
    def test(frame: pd.DataFrame) -> pd.Series:
        return holds(rule, frame, table) | frame[table.key].isin(list(rule.acknowledged))

    return test


def holds(rule: Rule, frame: pd.DataFrame, table: TableSchema) -> pd.Series:
    """Whether each row keeps the rule."""
    held: pd.Series = evaluate(rule.tree, lambda name: column_of(frame, name, table), pd.isna)
    return held.astype("bool")


def idle_acknowledgements(frame: pd.DataFrame, table: TableSchema) -> list[Problem]:
    """Rows acknowledged as exceptions to a rule which they keep: the acknowledgement has outlived its reason."""
    kept = {rule: set(frame.loc[holds(rule, frame, table), table.key]) for rule in table.rules if rule.acknowledged}
    return [
        Problem(table.name, key, rule.columns[0], "", f"keeps {rule.name}, though the exception is acknowledged", IDLE)
        for rule, keys in kept.items()
        for key in sorted(rule.acknowledged & keys)
    ]


def column_of(frame: pd.DataFrame, name: str, table: TableSchema) -> pd.Series:
    """A column of the frame, or for `a.b` the column b of the row that a refers to."""
    here, _, there = name.partition(".")
    values = frame[here]
    return values.map(frame.set_index(table.key)[there]) if there else values


def rule_problem(
    rule: Rule, frame: pd.DataFrame, index: Any, table: TableSchema, key: str, places: list[str]
) -> Problem:
    """The fault of a row, with what all columns of the rule say and the places of the facts behind them."""
    said = [f"{name} {column_of(frame, name, table)[index]}" for name in rule.columns] + places
    return Problem(table.name, key, rule.columns[0], "", f"breaks {rule.name} ({', '.join(said)}): {rule.why}", REMEDY)
